//! A faulty table does not compile, and the compiler says what is missing.

#[test]
fn faulty_tables_do_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/sound.rs");
    for fault in
        ["tool_name_twice", "wire_command_twice", "no_class", "no_handler", "no_plan", "no_effect"]
    {
        cases.compile_fail(format!("tests/compile_fail/{fault}.rs"));
    }
}

//! The MCP face of the gateway: the only module that knows the protocol library.
//!
//! Every version of the protocol is served by one handler. A failed tool is a result, never a
//! protocol error: clients show the latter to nobody, and its hint must reach the agent.

mod lines;
mod progress;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use protocol::{Fault, Tool, envelope::Client};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        CustomRequest, CustomResult, ErrorCode, Implementation, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ServerCapabilities,
        ServerConfig, SubscriptionFilter, ToolAnnotations,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::io::stdio_pipes,
};
use serde_json::json;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use self::lines::Lines;
use crate::{
    Gateway, SERVER_NAME, VERSION, batches, brief,
    call::{self, Answer},
    caller::Caller,
    captures, guidance,
    registry::spec,
    resources::{self, RESOURCES, TEMPLATES},
    safety::{SafetyClass, class_of, executes_code, reaches_network},
};

/// Serves one client over standard input and output until it closes them.
pub async fn serve_stdio(gateway: Arc<Gateway>) {
    let (input, output) = stdio_pipes();
    let input = Watched::new(input, gateway.closing.clone());
    // A client that leaves before it has said anything is no failure.
    if let Ok(service) = Server::new(gateway).serve(Lines::new(input, output)).await
        && let Err(error) = service.waiting().await
    {
        tracing::error!(%error, "the service ended");
    }
}

/// What serves one client.
#[derive(Clone)]
pub struct Server(Arc<Gateway>);

impl Server {
    /// Serves the tools of `gateway`.
    pub fn new(gateway: Arc<Gateway>) -> Server {
        Server(gateway)
    }

    /// Lets the humans at the editors know who calls.
    fn meet(&self, client: Option<Implementation>) {
        if let Some(client) = client {
            let name = client.title.as_ref().unwrap_or(&client.name);
            self.0.editors.serve_client(Client::new(name, &client.version));
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .build();
        let implementation = Implementation::new(SERVER_NAME, VERSION).with_title("Godot MCP");
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(guidance::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Since 2026-07-28 nobody is introduced but by a request.
        self.meet(context.client_info());
        let tools = self.0.gate.toolsets.tools().map(describe).collect();
        let mut list = ListToolsResult::with_all_items(tools);
        // Any call may change the list, and whoever is told so must not read an old one.
        (list.ttl_ms, list.cache_scope) = (Some(0), Some(CacheScope::Private));
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        Tool::from_name(name).map(describe)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_name(&request.name) else {
            return Err(ErrorData::invalid_params(unknown_tool(&request.name), None));
        };
        self.meet(context.client_info());
        let arguments = request.arguments.unwrap_or_default();
        let answer = progress::told(&context, async |caller| {
            call::call(&self.0, tool, arguments, caller).await
        });
        Ok(match answer.await {
            Ok(answer) => success(answer),
            Err(fault) => failure(tool, &fault),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |r: &resources::Resource| {
            Resource::new(r.uri, r.name)
                .with_title(r.title)
                .with_description(r.description)
                .with_mime_type(resources::MIME_TYPE)
        };
        Ok(ListResourcesResult::with_all_items(RESOURCES.iter().map(resource).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = |r: &resources::Resource| {
            ResourceTemplate::new(r.uri, r.name)
                .with_title(r.title)
                .with_description(r.description)
                .with_mime_type(resources::MIME_TYPE)
        };
        Ok(ListResourceTemplatesResult::with_all_items(TEMPLATES.iter().map(template).collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let resource = resources::parse(&request.uri).map_err(|fault| {
            let fault = brief::told_in_short(fault.with("uri", request.uri.as_str()));
            ErrorData::resource_not_found(
                fault.hint,
                fault.details.get("uri").map(|uri| json!({ "uri": uri })),
            )
        })?;
        // Resources have no results that are errors, so the body says what went wrong.
        let text = match resources::read(&self.0, resource, &Caller::new(context.ct)).await {
            Ok(text) => text,
            Err(fault) => fault_text(&brief::told_in_short(fault)),
        };
        let contents = ResourceContents::text(text, request.uri);
        let contents = contents.with_mime_type(resources::MIME_TYPE);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// What the library has no request for: an unknown method, or parameters that do not fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let problem = match request.method.as_str() {
            "tools/call" => "tools/call takes a name, which is a string, and arguments, an object",
            "resources/read" => "resources/read takes a uri, which is a string",
            method => {
                let told: String = method.chars().take(100).collect();
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, told, None));
            }
        };
        Err(ErrorData::invalid_params(problem, None))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(Vec::new()))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    /// Since 2026-07-28: a client that asks for it hears of changes as long as it listens.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.gate.toolsets.watch();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.0.closing.cancelled() => return Ok(()),
                heard = changes.changed() => {
                    if heard.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Up to 2025-11-25: every client hears of changes once it is initialized.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.meet(context.peer.peer_info().map(|client| client.client_info.clone()));
        let mut changes = self.0.gate.toolsets.watch();
        tokio::spawn(async move {
            while changes.changed().await.is_ok()
                && context.peer.notify_tool_list_changed().await.is_ok()
            {}
        });
    }
}

fn unknown_tool(name: &str) -> String {
    let told: String = name.chars().take(100).collect();
    format!("Unknown tool: {told}")
}

/// What a client is told of a tool.
pub fn describe(tool: Tool) -> rmcp::model::Tool {
    let surface = spec(tool).surface();
    let class = class_of(tool);
    let read_only = class == SafetyClass::ReadOnly;
    let mut meta = MetaObject::new();
    meta.insert("safety_class".to_owned(), json!(class.name()));
    meta.insert("toolset".to_owned(), json!(tool.toolset().name()));
    if executes_code(tool) {
        // As text, as clients know it.
        meta.insert("executes_code".to_owned(), json!("true"));
    }
    let described = rmcp::model::Tool::new(
        tool.name(),
        surface.description.clone(),
        Arc::new(surface.input.clone()),
    )
    .with_title(surface.title.clone())
    .with_annotations(
        ToolAnnotations::new()
            .read_only(read_only)
            .destructive(class == SafetyClass::Destructive)
            .idempotent(read_only)
            .open_world(reaches_network(tool)),
    )
    .with_meta(meta);
    if captures::shows_picture(tool) {
        return described;
    }
    described.with_raw_output_schema(Arc::new(surface.output.clone()))
}

fn success(answer: Answer) -> CallToolResult {
    let text = ContentBlock::text(answer.text);
    if let Some(image) = answer.image {
        return CallToolResult::success(vec![text, ContentBlock::image(image, "image/png")]);
    }
    let mut result = CallToolResult::success(vec![text]);
    result.structured_content = Some(answer.value);
    result
}

fn failure(tool: Tool, fault: &Fault) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(fault_text(fault))]);
    if batches::is_told_as_result(tool, fault) {
        result.structured_content = serde_json::to_value(fault).ok();
    }
    result
}

fn fault_text(fault: &Fault) -> String {
    // A fault has text keys only, so it can always be written.
    serde_json::to_string(fault).unwrap_or_else(|_| fault.to_string())
}

/// Standard input that says when it has ended.
///
/// The protocol library waits seconds for calls that are under way before it ends; a client that
/// is gone must not leave a process behind for that long.
struct Watched<R> {
    input: R,
    ended: CancellationToken,
}

impl<R> Watched<R> {
    /// Cancels `ended` at the end of `input`.
    fn new(input: R, ended: CancellationToken) -> Watched<R> {
        Watched { input, ended }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let room = buffer.remaining() > 0;
        let read = Pin::new(&mut self.input).poll_read(context, buffer);
        match &read {
            Poll::Ready(Ok(())) if room && buffer.filled().len() == before => self.ended.cancel(),
            Poll::Ready(Err(_)) => self.ended.cancel(),
            _ => {}
        }
        read
    }
}

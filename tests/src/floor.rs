//! The floor of every latency: a round trip to the editor over the bare link, without MCP and
//! without a gateway.

use bytes::Bytes;
use link::{Connection, Directory, Identity, Role, handshake};
use protocol::envelope::{PING, Request, Response};
use serde_json::value::RawValue;
use tokio::runtime::Runtime;

use crate::project::Project;

/// A connection to the editor that can only ping.
pub struct Floor {
    runtime: Runtime,
    connection: Connection,
    last_id: u64,
}

impl Floor {
    /// Waits for the editor on `project` to dial in.
    pub fn connect(project: &Project) -> Floor {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connection = runtime.block_on(async {
            let directory = Directory::at(project.rendezvous()).unwrap();
            let listener = directory.announce_gateway().unwrap();
            let mut connection = listener.accept().await.unwrap();
            let me = Identity::of_this_process(None).unwrap();
            let secret = directory.secret().unwrap();
            handshake(&mut connection, &secret, Role::Gateway, &me).await.unwrap();
            // The sign stays up while the connection is in use: the editor leaves who is dead.
            std::mem::forget(listener);
            connection
        });
        Floor { runtime, connection, last_id: 0 }
    }

    /// One round trip.
    pub fn ping(&mut self) {
        self.last_id += 1;
        let params = RawValue::from_string("{}".to_owned()).unwrap();
        let request = Request::new(self.last_id, PING, params);
        let frame = Bytes::from(serde_json::to_vec(&request).unwrap());
        let connection = &mut self.connection;
        let answer = self.runtime.block_on(async {
            connection.send(frame).await.unwrap();
            connection.recv().await.unwrap().expect("the editor is there")
        });
        assert_eq!(Response::from_json(&answer).unwrap().id, self.last_id);
    }
}

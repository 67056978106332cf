//! `scene_edit`: open, change and save scenes. Every edit of a node is one undo step.

mod nodes;
mod scenes;
mod wiring;

pub use self::{
    nodes::{
        AttachScript, CreateNode, DeleteNode, DuplicateNode, EditableChildrenSet, InstanceScene,
        MoveNode, NodeCreated, NodeDeleted, NodeDuplicated, NodeMoved, NodeRenamed, NodesSelected,
        PropertySet, RenameNode, SceneInstanced, ScriptAttached, SelectNodes, SetEditableChildren,
        SetNodeProperty,
    },
    scenes::{
        AllScenesSaved, CloseScene, CreateScene, ExtractScene, FilesystemRescanned, ListOpenScenes,
        OpenScene, OpenSceneInfo, OpenScenes, ReloadScene, RescanFilesystem, SaveAllScenes,
        SaveScene, SavedScene, SceneClosed, SceneCreated, SceneExtracted, SceneOpened,
        SceneReloaded, SceneSaved,
    },
    wiring::{
        AddToGroup, ConnectSignal, DisconnectSignal, GroupChanged, ListSignalConnections,
        RemoveFromGroup, SignalConnected, SignalConnection, SignalConnections, SignalDisconnected,
    },
};

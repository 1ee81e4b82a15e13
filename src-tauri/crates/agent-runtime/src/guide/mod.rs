//! Guides, one for each task of a program that embeds this library. Their examples are compiled with the tests.
//!
//! | guide | question |
//! | --- | --- |
//! | [`embedding`] | how is it built in, and how does a first turn go? |
//! | [`discovery`] | which harnesses are here, do they run, are they signed in? |
//! | [`permissions`] | what may a turn do, and who is asked? |
//! | [`launch_context`] | how does a turn get instructions, exact tools and MCP servers? |
//! | [`sessions`] | how does a conversation go on, and which process serves it? |
//! | [`errors`] | what failed, did the prompt arrive, may it be sent again? |
//! | [`environment`] | what does a harness see of this program's environment? |
//! | [`tool_execution`] | how are events and tool calls stored? |
//! | [`one_shot`] | how does a program without chats get one answer? |

#[doc = include_str!("embedding.md")]
pub mod embedding {}
#[doc = include_str!("discovery.md")]
pub mod discovery {}
#[doc = include_str!("permissions.md")]
pub mod permissions {}
#[doc = include_str!("launch_context.md")]
pub mod launch_context {}
#[doc = include_str!("sessions.md")]
pub mod sessions {}
#[doc = include_str!("errors.md")]
pub mod errors {}
#[doc = include_str!("environment.md")]
pub mod environment {}
#[doc = include_str!("tool_execution.md")]
pub mod tool_execution {}
#[doc = include_str!("one_shot.md")]
pub mod one_shot {}

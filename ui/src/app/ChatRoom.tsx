import { MessageCircleOff } from "lucide-react";
import { useRef } from "react";
import { ChatPane } from "../features/chat";
import { Composer, type ComposerHandle } from "../features/composer";
import { DecisionDock } from "../features/decisions";
import { Button } from "../kit/Button";
import { Empty, Page } from "../kit/Page";
import { DropZone } from "../prompt";
import { addFiles } from "../state/attachments";
import { useLive } from "../state/live";
import { goTo } from "../state/route";
import { ChatMenu } from "./ChatMenu";
import { Compact } from "./Compact";
import { TurnChoices } from "./TurnChoices";

export interface ChatRoomProps {
  chatId: string;
  /** A card to bring up; a new object each time. */
  card: { id: string | null } | null;
}

/** One chat: its transcript, the open decisions above the composer, the composer. */
export function ChatRoom({ chatId, card }: ChatRoomProps) {
  const composer = useRef<ComposerHandle>(null);
  const known = useLive((state) => state.known);
  const chat = useLive((state) => state.chats.get(chatId));
  if (known && !chat) {
    return (
      <Page title="Chat">
        <Empty icon={<MessageCircleOff />} title="This chat is not there any more" actions={<Button onClick={() => goTo({ room: "new" })}>New chat</Button>}>
          It was deleted, or the address is of another computer.
        </Empty>
      </Page>
    );
  }
  return (
    <DropZone
      label="Drop to attach to the next message"
      onFiles={(files) => {
        addFiles(chatId, files);
        composer.current?.focus();
      }}
    >
      <ChatPane
        chatId={chatId}
        tools={chat ? <ChatMenu chat={chat} /> : null}
        dock={<DecisionDock chatId={chatId} goTo={card} onLeave={() => composer.current?.focus()} />}
        footer={chat ? <Compact chat={chat} /> : null}
        composer={<Composer ref={composer} chatId={chatId} tools={chat ? <TurnChoices chat={chat} /> : null} />}
      />
    </DropZone>
  );
}

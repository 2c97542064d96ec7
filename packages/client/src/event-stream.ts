/** Server-sent events (HTML, "Server-sent events") out of the body of an answer: EventSource can send no credentials. */

export interface ServerEvent {
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
  /** The latest id so far; empty: none yet. */
  readonly id: string;
}

/** Ends with the stream; an incomplete last event is dropped. `onTraffic` is called for everything received, including comments. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onTraffic: () => void = () => {},
): AsyncGenerator<ServerEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let [event, id, data] = ['', '', null as string | null];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onTraffic();
      rest += decoder.decode(value, { stream: true });
      // A lone \r at the end may be the first half of \r\n.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data !== null) yield { event: event || 'message', data, id };
          event = '';
          data = null;
          continue;
        }
        const [, field, text] = /^([^:]*):? ?(.*)$/.exec(line)!;
        if (field === 'data') data = data === null ? text : `${data}\n${text}`;
        else if (field === 'event') event = text;
        else if (field === 'id' && !text.includes('\0')) id = text;
      }
    }
  } finally {
    // A reader that stops early closes the connection.
    await reader.cancel().catch(() => {});
  }
}

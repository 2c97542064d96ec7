/** Reads server-sent events as they come. */

export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** The events of a stream until it ends. Comments and `retry` are left out. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) throw new Error('there is no stream');
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => {
            const colon = line.indexOf(': ');
            return [line.slice(0, colon), line.slice(colon + 2)] as const;
          }),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      yield { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) };
    }
  }
}

/** All events of a stream, once it has ended. */
export async function allEventsOf(source: Response | AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const all: ServerEvent[] = [];
  for await (const event of source instanceof Response ? eventsOf(source) : source) all.push(event);
  return all;
}

/** The markdown of records as HTML. The records are ours; nothing that a user sends comes here. */
import { Marked } from 'marked';
import { Html } from '../../pages/html.ts';

const marked = new Marked({
  gfm: true,
  renderer: {
    // Links of the records lead to other pages of docs/, which the service does not serve: their text stays.
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return /^(?:https:|#)/.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
  },
});

/** Paragraphs, lists, tables. */
export function markdown(text: string): Html {
  return new Html(marked.parse(text, { async: false }));
}

/** One run of text. */
export function inlineMarkdown(text: string): Html {
  return new Html(marked.parseInline(text, { async: false }));
}

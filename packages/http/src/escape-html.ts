const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Returns a text with character references (HTML §13.1.4) for all that could end it or begin markup: for the content of
 * elements and for attributes in quotes. A text in a script, a style or an attribute without quotes is not safe by it, nor
 * is an address that is followed.
 *
 * @example
 * import { escapeHtml } from '@latchkey/http'
 * escapeHtml('<b title="Ada">') // '&lt;b title=&quot;Ada&quot;&gt;'
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

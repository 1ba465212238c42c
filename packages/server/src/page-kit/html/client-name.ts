import { type Html, html } from './html.ts'
import { plainText } from './plain-text.ts'

/** As many characters as a name is shown with. */
const longest = 100

/**
 * Returns the name of a client, which its developer has chosen: bounded, without characters that are not seen, and isolated
 * so that the direction of its letters does not reach the sentence around it. Without a name it is its id.
 */
export function clientName({ id, name }: { readonly id: string; readonly name: string | null }): Html {
  return html`<strong><bdi>${plainText(name ?? '', longest) || plainText(id, longest)}</bdi></strong>`
}

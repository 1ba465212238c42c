import { type Html, html } from './html.ts'

/** As many characters as a name is shown with. */
const longest = 100

/** What is not seen, or changes how what stands around it is read. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]+/gu

/**
 * Returns the name of a client, which its developer has chosen: bounded, without characters that are not seen, and isolated
 * so that the direction of its letters does not reach the sentence around it. Without a name it is its id.
 */
export function clientName({ id, name }: { readonly id: string; readonly name: string | null }): Html {
  return html`<strong><bdi>${plainName(name ?? '') || plainName(id)}</bdi></strong>`
}

function plainName(name: string): string {
  // Cut before it is looked through, so that the work is bounded too.
  const characters = [
    ...name
      .slice(0, 4 * longest)
      .toWellFormed()
      .replaceAll(unseen, ' ')
      .trim(),
  ]
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('')
}

import { homePage } from './home.mjs'

/** The pages that no one writes: the path that a document would have → its Markdown. */
export async function generatedPages() {
  return new Map([['docs/index.md', homePage()]])
}

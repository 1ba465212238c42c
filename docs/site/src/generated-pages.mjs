// The pages that are generated from types, doc comments, the schema and the commands.
import { apiPages } from '../../../packages/conventions/src/documents/api-pages.ts'
import { errorPage } from '../../../packages/conventions/src/documents/error-page.ts'
import { optionPages } from '../../../packages/conventions/src/documents/option-pages.ts'
import { openHouse } from '../../../packages/conventions/src/house/house.ts'
import { commandPage } from './command-page.mjs'
import { root } from './documents.mjs'
import { homePage } from './home.mjs'
import { schemaPage } from './schema-page.mjs'

/**
 * Each page: the path that its document would have, its Markdown, and its group in the section Reference. `null`: before
 * all groups. `undefined`: not in the section.
 */
export async function generatedPages() {
  const house = openHouse(root)
  const one = (path, text, group, about) => ({ path: `docs/${path}`, text, group, about })
  return [
    one('index.md', homePage()),
    one('reference/error-codes.md', errorPage(house), null, 'the list of all codes, with what to do'),
    one('reference/account-operations.md', schemaPage(), null, 'every query and mutation with its rule, and the types'),
    one('reference/command-line.md', await commandPage(), null, 'every command of latchkey with its help'),
    ...[...optionPages(house)].map(([file, text]) =>
      one(`reference/options/${file}`, `---\naside: false\n---\n\n${text}`, 'Options', ''),
    ),
    ...[...apiPages(house)]
      .filter(([file]) => file !== 'README.md')
      .map(([file, text]) => one(`reference/api/${file}`, text, 'Public names', '')),
  ]
}

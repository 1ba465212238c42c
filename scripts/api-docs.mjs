// Writes the reference of all public names, one Markdown page per package, from the sources of the packages.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPages } from '../packages/conventions/src/documents/api-pages.ts'
import { openHouse } from '../packages/conventions/src/house/house.ts'
import { root } from './workspace.mjs'

const folder = join(root, 'docs/dist')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const pages = apiPages(openHouse(root))
for (const [file, text] of pages) writeFileSync(join(folder, file), text)
console.log(`wrote ${pages.size} pages: begin with docs/dist/README.md`)

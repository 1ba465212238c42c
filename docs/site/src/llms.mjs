// The documentation for programs that read it: https://llmstxt.org
import { fileOf } from './links.mjs'

const summary =
  'Authentication and authorization for GraphQL services in TypeScript: small packages that work alone, and a complete ' +
  'service in one function.'

/** Sections that a program does not need to use the packages: `llms.txt` links them, `llms-full.txt` omits them. */
const optional = new Set(['Security', 'Benchmarks', 'Decisions'])

export function llmsText(sections) {
  const parts = sections.map((section) => `## ${nameOf(section)}\n\n${itemsOf(section).map(lineOf).join('\n')}`)
  return `${['# Latchkey', `> ${summary}`, 'Every page is also there as Markdown, at these addresses.', ...parts].join('\n\n')}\n`
}

/** One text of the pages that show how the packages are used. `textOf` returns the Markdown of a page. */
export function llmsFullText(sections, textOf) {
  const addresses = sections
    .filter(({ title }) => !optional.has(title))
    .flatMap(itemsOf)
    .map(({ address }) => address)
  const pages = [...new Set(addresses.map((address) => address.replace(/#.*/, '')))]
  return `${pages.map((address) => `<!-- ${fileOf(address)} -->\n\n${textOf(fileOf(address)).trim()}`).join('\n\n')}\n`
}

function nameOf({ title }) {
  return title === 'Decisions' ? 'Optional' : title
}

function itemsOf({ groups }) {
  return groups.flatMap(({ items }) => items)
}

function lineOf({ title, address, text }) {
  return `- [${title}](${fileOf(address)})${text === '' ? '' : `: ${text}`}`
}

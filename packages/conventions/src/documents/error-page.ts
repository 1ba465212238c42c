import { publicEntries } from '../house/declarations.ts'
import type { House, Package } from '../house/house.ts'

/**
 * Returns one Markdown page with every error code of every package and its meaning, from the doc comments of their
 * unions.
 */
export function errorPage(house: House): string {
  const sections = house.packages.flatMap(sectionsOf)
  return `${['# Error codes', introduction, ...sections].join('\n\n')}\n`
}

const introduction =
  'A code is the contract: clients and callers decide by it, and messages may change. A response of the endpoint has ' +
  'it in `extensions.code`, as `@latchkey/graphql` lists them; an error that a package throws has it as `code`.'

function sectionsOf(one: Package): string[] {
  const types = publicEntries(one)
    .flatMap(({ declarations }) => declarations)
    .filter(({ kind, name }) => kind === 'type' && name.endsWith('ErrorCode'))
  return [...new Set(types)].flatMap(({ doc }) => {
    const rows = rowsOf(doc?.text ?? '')
    return rows.length === 0 ? [] : [`## \`${one.name}\``, tableOf(rows)]
  })
}

type Row = readonly [code: string, meaning: string, action: string]

/** Items `- \`CODE\`: meaning`, or the rows of a table `| \`CODE\` | meaning | action |`. */
function rowsOf(text: string): Row[] {
  const items = [...text.matchAll(/^\s*- `([A-Z_]+)`(?: \((\d+)\))?: ([\s\S]*?)(?=\n\s*- |\n\n|$(?![\s\S]))/gm)]
  const lines = [...text.matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*?) ?\|$/gm)]
  return [
    ...items.map(([, code = '', status, meaning = '']): Row => [code, withStatus(meaning, status), '']),
    ...lines.map(([, code = '', meaning = '', action = '']): Row => [code, meaning, action]),
  ]
}

function withStatus(meaning: string, status: string | undefined): string {
  const flat = meaning.replace(/\s+/g, ' ').trim()
  return status === undefined ? flat : `${flat} (status ${status})`
}

function tableOf(rows: readonly Row[]): string {
  const hasActions = rows.some(([, , action]) => action !== '')
  const head = hasActions ? '| Code | Meaning | What to do |\n| --- | --- | --- |' : '| Code | Meaning |\n| --- | --- |'
  const lines = rows.map(([code, meaning, action]) => `| \`${code}\` | ${meaning} |${hasActions ? ` ${action} |` : ''}`)
  return `${head}\n${lines.join('\n')}`
}

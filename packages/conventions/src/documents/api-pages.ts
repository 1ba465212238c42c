import { type Declaration, type DocComment, type PublicEntry, publicEntries } from '../house/declarations.ts'
import type { House, Package } from '../house/house.ts'
import { inlinedSignature } from '../house/inlined.ts'

/**
 * Returns the reference of the public names as Markdown pages: file name → text. It needs no compiler, because the
 * source states the types of all exports.
 */
export function apiPages(house: House): ReadonlyMap<string, string> {
  const pages = house.packages.map((one): [string, string] => [fileOf(one), page(one)])
  return new Map([['README.md', index(house)], ...pages])
}

function index({ packages }: House): string {
  const rows = packages.map((one) => `| [${one.name}](${fileOf(one)}) | ${one.manifest.description} |`)
  return `# Reference\n\n| Package | What it is |\n| --- | --- |\n${rows.join('\n')}\n`
}

function page(one: Package): string {
  const entries = publicEntries(one).filter(({ declarations }) => declarations.length > 0)
  return `${[`# ${one.name}`, `${one.manifest.description}.`, ...entries.flatMap((entry) => section(one, entry))].join('\n\n')}\n`
}

const kinds: readonly Declaration['kind'][] = ['function', 'class', 'constant', 'type']

function section(of: Package, { specifier, declarations }: PublicEntry): string[] {
  const sorted = kinds.flatMap((kind) =>
    declarations.filter((one) => one.kind === kind).sort((left, right) => (left.name < right.name ? -1 : 1)),
  )
  return [`## ${specifier}`, ...sorted.flatMap((one) => described(one, inlinedSignature(of, one)))]
}

function described({ name, doc }: Declaration, signature: string): string[] {
  return [`### ${name}`, fence(signature), ...(doc ? explained(doc) : [])]
}

function explained({ text, tags }: DocComment): string[] {
  const list = tags.filter(({ name }) => name !== 'example').map(line)
  const examples = tags.filter(({ name }) => name === 'example').map((tag) => fence(tag.text))
  return [text, list.join('\n'), ...examples].filter((part) => part !== '')
}

/** `@param name text` as an item of a list; so are `@returns` and `@throws`. */
function line({ name, text }: DocComment['tags'][number]): string {
  const flat = text.replace(/\s*\n\s*/g, ' ')
  if (name !== 'param') return `- ${name}: ${flat}`
  const [option = '', ...rest] = flat.split(' ')
  return `- \`${option}\`: ${rest.join(' ').replace(/^- /, '')}`
}

function fence(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``
}

function fileOf({ name }: Package): string {
  return `${name.replace('@latchkey/', '')}.md`
}

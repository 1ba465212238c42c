import { posix } from 'node:path'
import type { House } from '../house/house.ts'

/** Every link between documents leads to a file that is there, and to a heading that is in it. */
export function checkLinks(house: House): string[] {
  const documents = house.files.filter((path) => path.endsWith('.md') && !path.startsWith('.changeset/'))
  return [...documents.flatMap((path) => brokenLinks(house, path)), ...unlisted(house)]
}

function brokenLinks(house: House, path: string): string[] {
  return linksOf(house.read(path)).flatMap((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, '')
    const isFolder = house.files.some((other) => other.startsWith(`${target}/`))
    if (!isFolder && !house.has(target)) return [`${path}: leads nowhere: ${link}`]
    const isAnchored = anchor !== undefined && target.endsWith('.md')
    return isAnchored && !headingsOf(house.read(target)).has(anchor) ? [`${path}: no such heading: ${link}`] : []
  })
}

/** `docs/README.md` is the index: a page or an example that it does not link cannot be found. */
function unlisted(house: House): string[] {
  const index = 'docs/README.md'
  if (!house.has(index)) return []
  const linked = new Set(linksOf(house.read(index)).map((link) => posix.join('docs', link.replace(/#.*/, ''))))
  return house.files
    .filter(
      (path) =>
        /^(docs\/(?!site\/).+\.md|examples\/[^/]+\/README\.md)$/.test(path) && path !== index && !linked.has(path),
    )
    .map((path) => `${index}: does not link ${path}`)
}

/** The relative links of a document: `[…](target)` and `[…]: target`. */
function linksOf(markdown: string): string[] {
  const text = withoutCode(markdown)
  const inline = [...text.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)]
  const references = [...text.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)>?/gm)]
  return [...inline, ...references]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z]+:|\/\/)/i.test(target))
}

/** Anchors as GitHub makes them. */
function headingsOf(markdown: string): ReadonlySet<string> {
  const titles = [...withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
  const seen = new Map<string, number>()
  return new Set(
    titles.map((title) => {
      const times = seen.get(title) ?? 0
      seen.set(title, times + 1)
      return times === 0 ? title : `${title}-${times}`
    }),
  )
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^(```+|~~~+)[^\n]*\n[\s\S]*?^\1[^\S\n]*$/gm, '')
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(/(`+)[^`][\s\S]*?\1/g, '')
}

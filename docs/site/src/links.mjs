// Links between documents as links between pages, and links to sources as links to the repository.
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from './documents.mjs'

/**
 * The Markdown of a document with its relative links changed for the site. `address` is the address of the repository;
 * without it a link to a source becomes its text.
 */
export function withLinksOfSite(path, markdown, pages, address) {
  return outsideCode(markdown, (text) =>
    text.replace(/(!?)\[((?:\\.|`[^`]*`|[^\]\\`]|\](?=`))*)\]\(<?([^)\s>]+)>?\)/g, (link, image, label, target) => {
      if (isElsewhere(target)) return link
      return image ? `![${label}](${imageOf(path, target, pages)})` : linkOf(path, label, target, pages, address)
    }),
  )
}

/** The images of documents: the path in the repository → the file in the site. */
export function imagesOf(documents) {
  const files = documents.flatMap(([path, markdown]) =>
    [...markdown.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target)
      .filter((target) => !isElsewhere(target))
      .map((target) => posix.join(posix.dirname(path), target)),
  )
  return new Map(files.map((file) => [file, file.replace(/^docs\//, '')]))
}

function imageOf(path, target, pages) {
  const file = posix.join(posix.dirname(path), target).replace(/^docs\//, '')
  const relative = posix.relative(posix.dirname(pages.get(path)), file)
  return relative.startsWith('.') ? relative : `./${relative}`
}

/** Replaces or removes pictures, comments and line breaks written in HTML, because pages show HTML as text. */
export function withoutHtml(markdown) {
  return outsideCode(markdown, (text) =>
    text
      .replace(/<!--[\s\S]*?-->\n?/g, '')
      .replaceAll('<br>', ' · ')
      .replace(/<picture>[\s\S]*?<img src="([^"]+)"[^>]*alt="([^"]+)"[\s\S]*?<\/picture>/g, '![$2]($1)'),
  )
}

/** The address of the page that a relative link of a document names, as `/guides/passkeys#errors`; null: not a page. */
export function addressOf(path, target, pages) {
  const [file, anchor] = target.split('#')
  const resolved = file === '' ? path : posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, '')
  const page = pages.get(resolved) ?? pages.get(posix.join(resolved, 'README.md'))
  if (page === undefined) return null
  const address = `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`
  return anchor === undefined ? address : `${address}#${anchor}`
}

/** The Markdown of a page with its links to pages changed to the Markdown files of these pages, relative to its own file. */
export function withLinksToFiles(file, markdown) {
  return outsideCode(markdown, (text) =>
    text.replace(/(?<=\]\()\/([^)\s#]*)/g, (_address, path) => posix.relative(posix.dirname(file), fileOf(path))),
  )
}

/** The Markdown file of the page with this address, `guides/passkeys` or `packages/jwt/`. */
export function fileOf(address) {
  const path = address.replace(/^\//, '').replace(/#.*/, '')
  return path === '' || path.endsWith('/') ? `${path}index.md` : `${path}.md`
}

function linkOf(path, label, target, pages, address) {
  const page = addressOf(path, target, pages)
  if (page !== null) return `[${label}](${page})`
  const source = posix.join(posix.dirname(path), decodeURI(target.replace(/#.*/, '')))
  if (!existsSync(join(root, source))) throw new Error(`${path}: leads nowhere: ${target}`)
  return address === null ? label : `[${label}](${address}/blob/HEAD/${source})`
}

function isElsewhere(target) {
  return /^([a-z]+:|\/)/i.test(target)
}

/** Applies a change to the text outside fenced blocks. */
function outsideCode(markdown, change) {
  const fences = /^([^\S\n]*)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\S\n]*$/gm
  let done = ''
  let last = 0
  for (const fence of markdown.matchAll(fences)) {
    done += change(markdown.slice(last, fence.index)) + fence[0]
    last = fence.index + fence[0].length
  }
  return done + change(markdown.slice(last))
}

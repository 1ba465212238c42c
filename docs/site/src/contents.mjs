// The table of contents: `##` are sections, `###` groups, and each item is `- [title](page): what it says`.
import { posix } from 'node:path'
import { index } from './documents.mjs'
import { addressOf } from './links.mjs'

/** Adds the generated pages to the section Reference of the table of contents. */
export function withGenerated(contents, generated) {
  const groups = [...new Set(generated.map(({ group }) => group))].filter((group) => group !== undefined)
  const listed = (group) => generated.filter((page) => page.group === group).map(itemLine)
  const first = listed(null).join('\n')
  const others = groups.filter((group) => group !== null).map((group) => `### ${group}\n\n${listed(group).join('\n')}`)
  return contents.replace(/^## Reference\n\n([\s\S]*?)(?=^## )/m, (_section, written) => {
    const [items, ...rest] = written.trim().split(/^(?=### )/m)
    return `## Reference\n\n${[`${first}\n${items.trim()}`, ...others, ...rest.map((part) => part.trim())].join('\n\n')}\n\n`
  })
}

function itemLine({ path, text, about }) {
  const [, title] = /^# (.+)$/m.exec(text)
  const link = posix.relative(posix.dirname(index), path)
  return `- [${title.replaceAll('`', '')}](${link})${about === '' ? '' : `: ${about}`}`
}

/** Returns the sections of the table of contents with their groups. Pages without a group are in the first group. */
export function readContents(contents, pages) {
  const sections = []
  for (const line of contents.replaceAll(/\n {2,}(?=\S)/g, ' ').split('\n')) {
    const [, level, heading] = /^(##|###) (.+)$/.exec(line) ?? []
    if (level === '##') sections.push({ title: heading, groups: [{ title: null, items: [] }] })
    if (level === '###') sections.at(-1).groups.push({ title: heading, items: [] })
    const item = itemOf(line, pages)
    if (item !== null) sections.at(-1).groups.at(-1).items.push(item)
  }
  return sections.filter(({ groups }) => groups.some(({ items }) => items.length > 0))
}

function itemOf(line, pages) {
  const [, title, target, text = ''] = /^- \[([^\]]+)\]\(([^)]+)\)(?:: (.+))?$/.exec(line) ?? []
  if (title === undefined) return null
  const address = addressOf(index, target, pages)
  if (address === null) throw new Error(`${index}: ${target} is no page`)
  return { title: title.replaceAll('`', ''), address, text }
}

/** The sidebar of VitePress: the section of the reader is open, the others are a line each. */
export function sidebarOf(sections) {
  return sections.map(({ title, groups }) => ({
    text: title,
    collapsed: title !== 'Start',
    items: groups.flatMap((group) => (group.title === null ? group.items.map(entry) : [entries(group)])),
  }))
}

function entries({ title, items }) {
  return { text: title, collapsed: true, items: items.map(entry) }
}

function entry({ title, address }) {
  return { text: title, link: address }
}

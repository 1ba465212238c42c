import type { House, Package } from '../house/house.ts'
import { type RoomOrder, rooms } from '../house/rooms.ts'

const document = 'CONTRIBUTING.md'

/** A line of the tree: the folder from the root, and what one looks for there. */
interface TreeLine {
  readonly folder: string
  readonly words: string
  readonly line: number
}

/** The tree in CONTRIBUTING.md has every package and room with a few words, in the order of the plan, and nothing else. */
export function checkTree(house: House, orders: Readonly<Record<string, RoomOrder>> = rooms): string[] {
  const tree = house.has(document) ? readTree(house.read(document)) : []
  if (tree.length === 0) return [`${document}: has no tree: a text block with the folders of the repository`]
  const all = [...house.packages, ...house.privatePackages]
  const there = new Set([...topFolders(house), ...all.map(({ folder }) => folder), ...all.flatMap(roomsOf)])
  const listed = new Set(tree.map(({ folder }) => folder))
  return [
    ...tree
      .filter(({ folder }) => !there.has(folder))
      .map(({ folder, line }) => `${document}:${line}: ${folder} is not there: remove its line`),
    ...[...there]
      .filter((folder) => !listed.has(folder))
      .map((folder) => `${document}: the tree has no line for ${folder}: add it, with what one looks for there`),
    ...tree
      .filter(({ folder, words }) => words === '' && folder.includes('/'))
      .map(({ folder, line }) => `${document}:${line}: ${folder} needs a few words on what one looks for there`),
    ...all.flatMap(({ folder }) => checkOrder(folder, tree, orders[folder] ?? {})),
  ]
}

function readTree(markdown: string): TreeLine[] {
  const [before = '', block = ''] = markdown.split(/^```text\n(?=packages\/$)/m)
  const [text = ''] = block.split(/^```$/m)
  const first = before.split('\n').length + 1
  const path: string[] = []
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line, index) => {
      const [, indent = '', name = '', words = ''] = /^( *)(\S+)\/(?: +(\S.*))?$/.exec(line) ?? []
      if (name === '') return []
      path.splice(indent.length / 2, Number.POSITIVE_INFINITY, name)
      // Sources stand in src, which the tree leaves out.
      const [top, one, ...inside] = path
      const folder = [top, one, ...(inside.length > 0 ? ['src', ...inside] : [])].filter(Boolean).join('/')
      return [{ folder, words, line: first + index }]
    })
}

function topFolders({ files }: House): readonly string[] {
  const folders = files.filter((path) => path.includes('/')).map((path) => path.split('/', 1).join())
  return [...new Set(folders)].filter((folder) => !folder.startsWith('.'))
}

function roomsOf({ folder, sources }: Package): readonly string[] {
  const folders = sources.map(({ path }) => path.slice(0, path.lastIndexOf('/')))
  return folders.filter((other) => other !== `${folder}/src`)
}

function checkOrder(folder: string, tree: readonly TreeLine[], order: RoomOrder): string[] {
  const planned = Object.keys(order).map((room) => `${folder}/src/${room}`)
  const written = tree.map((line) => line.folder).filter((room) => planned.includes(room))
  const expected = planned.filter((room) => written.includes(room))
  if (expected.join() === written.join()) return []
  return [`${document}: the rooms of ${folder} stand in the plan as ${expected.map(lastName).join(', ')}`]
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

import { commandsOf, entriesOf, type House, type Package } from '../house/house.ts'
import { type Crossing, circlesIn, isFolder, type PlaceGraph, placeGraph, placeOf } from '../house/place-graph.ts'
import type { RoomOrder } from '../house/room-order.ts'
import { fullFolders, mostFiles, rooms } from '../house/rooms.ts'

const plan = 'packages/conventions/src/house/rooms.ts'

/** Inside a package imports go one way: a room imports what the plan puts below it, and no folder is a heap of files. */
export function checkRooms(
  house: House,
  orders: Readonly<Record<string, RoomOrder>> = rooms,
  full: readonly { readonly folder: string }[] = fullFolders,
): string[] {
  const all = [...house.packages, ...house.privatePackages]
  return [
    ...Object.entries(orders).flatMap(([folder, order]) => checkOrder(folder, order)),
    ...Object.keys(orders)
      .filter((folder) => !all.some((one) => one.folder === folder))
      .map((folder) => `${plan}: ${folder} is not there: remove its line`),
    ...all.flatMap((one) => checkPackage(one, orders[one.folder] ?? {})),
    ...checkSizes(house, full),
  ]
}

/** The plan itself goes one way, or it would allow a circle. */
function checkOrder(folder: string, order: RoomOrder): string[] {
  const below = new Set<string>()
  return Object.entries(order).flatMap(([place, on]) => {
    const wrong = on.filter((other) => !below.has(other))
    below.add(place)
    return wrong.map((other) => `${plan}: ${place} of ${folder} may not stand on ${other}, which is not before it`)
  })
}

function checkPackage(one: Package, order: RoomOrder): string[] {
  const base = `${one.folder}/src`
  const graph = placeGraph(one.sources, base)
  const inTests = placeGraph(one.tests, `${one.folder}/test`)
  return [
    ...[...graph.keys()]
      .filter((place) => isFolder(place) && !(place in order))
      .map((place) => `${base}/${place}: has no line in ${plan}: say which rooms it may import`),
    ...Object.keys(order)
      .filter((place) => !graph.has(place))
      .map((place) => `${plan}: ${place} of ${one.folder} is not there: remove its line`),
    ...breachesIn(one, order).map(({ file, line, advice, target }) => `${file}:${line}: ${advice} (${target})`),
    ...circlesIn(inTests).map((circle) => `${one.folder}/test: import each other: ${circle.join(', ')}`),
  ]
}

/**
 * Returns the files directly in `src` that are entries of a package: its exports, its commands, and files without an
 * importer.
 */
function entryPlaces(one: Package, graph: PlaceGraph): ReadonlySet<string> {
  const exported = entriesOf(one).map(({ source }) => source)
  const imported = new Set([...graph.values()].flatMap((ways) => [...ways.keys()]))
  const started = [...graph.keys()].filter((place) => !isFolder(place) && !imported.has(place))
  const declared = [...exported, ...commandsOf(one)].flatMap((path) => placeOf(path, `${one.folder}/src`) ?? [])
  return new Set([...declared.filter((place) => !isFolder(place)), ...started])
}

/** An import that the plan forbids, and its remedy. */
export interface Breach extends Crossing {
  readonly from: string
  readonly to: string
  readonly advice: string
}

/** Returns the breaches of a plan. Folders that are missing in the plan are reported as missing only. */
export function breachesIn(one: Package, order: RoomOrder): readonly Breach[] {
  const graph = placeGraph(one.sources, `${one.folder}/src`)
  const entries = entryPlaces(one, graph)
  const isPlanned = (place: string) => !isFolder(place) || place in order
  return [...graph].flatMap(([from, ways]) =>
    [...ways].flatMap(([to, crossings]) => {
      if (!isPlanned(from) || !isPlanned(to)) return []
      const advice = adviceOn(from, to, order, entries)
      return advice === null ? [] : crossings.map((crossing) => ({ ...crossing, from, to, advice }))
    }),
  )
}

/** Returns the remedy for an import from one place into another; `null` if the plan permits it. */
function adviceOn(from: string, to: string, order: RoomOrder, entries: ReadonlySet<string>): string | null {
  if (entries.has(to)) return `imports the entry ${to}: import the file that declares the name`
  const standsOnRooms = isFolder(to) || to in order
  if (entries.has(from) || !standsOnRooms || order[from]?.includes(to)) return null
  if (isFolder(from) || from in order) {
    return `${from} may not import ${to}: move what both need below them, or take it as a function or a value`
  }
  return `a file directly in src stands on no room, but imports ${to}: move it into the room that it belongs to`
}

function checkSizes({ files }: House, full: readonly { readonly folder: string }[]): string[] {
  const inFolders = files.filter((path) => /^(packages|examples)\/[^/]+\/(src|test)\//.test(path))
  const folders = Map.groupBy(inFolders, (path) => path.slice(0, path.lastIndexOf('/')))
  const excepted = new Set(full.map(({ folder }) => folder))
  const crowded = [...folders].filter(([, { length }]) => length > mostFiles)
  return [
    ...crowded
      .filter(([folder]) => !excepted.has(folder))
      .map(([folder, { length }]) => `${folder}: has ${length} files, more than ${mostFiles}: sort them into rooms`),
    ...[...excepted]
      .filter((folder) => !crowded.some(([other]) => other === folder))
      .map((folder) => `${plan}: ${folder} holds no more than ${mostFiles} files: remove its exception`),
  ]
}

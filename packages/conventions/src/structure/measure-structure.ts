import { breachesIn } from '../checks/check-rooms.ts'
import type { House, Package } from '../house/house.ts'
import { circlesIn, placeGraph } from '../house/place-graph.ts'
import type { RoomOrder } from '../house/room-order.ts'
import { rooms } from '../house/rooms.ts'
import type { SourceFile } from '../house/source-file.ts'
import { type NamedFunction, namedFunctions } from './named-functions.ts'

/** How the files of a workspace are sorted and how they hang together, in numbers that two states are compared by. */
export interface Structure {
  readonly packages: readonly PackageSize[]
  /** Folders of `src`, `test` and `bench` with the files directly in them, the fullest first. */
  readonly folders: readonly { readonly folder: string; readonly files: number }[]
  /** Places of one package in a circle of imports. */
  readonly circles: readonly { readonly folder: string; readonly places: readonly string[] }[]
  /** Imports against the plan of the rooms, between places that the plan knows. */
  readonly back: readonly { readonly file: string; readonly line: number; readonly from: string; readonly to: string }[]
  /** The functions of `src`. */
  readonly functions: {
    readonly count: number
    readonly medianLines: number
    readonly longest: readonly NamedFunction[]
  }
}

export interface PackageSize {
  readonly name: string
  readonly sources: Size
  readonly tests: Size
}

export interface Size {
  readonly files: number
  readonly lines: number
}

/** `longest` is how many of the longest functions are listed. */
export function measureStructure(
  house: House,
  longest: number,
  orders: Readonly<Record<string, RoomOrder>> = rooms,
): Structure {
  const all = [...house.packages, ...house.privatePackages]
  const functions = all.flatMap(({ sources }) => sources.flatMap(namedFunctions))
  const byLength = functions.toSorted((left, right) => right.lines - left.lines)
  return {
    packages: all.map(({ name, sources, tests }) => ({ name, sources: sizeOf(sources), tests: sizeOf(tests) })),
    folders: foldersOf(all),
    circles: all.flatMap(circlesOf),
    back: all.flatMap((one) => backOf(one, orders[one.folder] ?? {})),
    functions: {
      count: functions.length,
      medianLines: byLength[Math.floor(byLength.length / 2)]?.lines ?? 0,
      longest: byLength.slice(0, longest),
    },
  }
}

function sizeOf(files: readonly SourceFile[]): Size {
  return { files: files.length, lines: files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0) }
}

function foldersOf(all: readonly Package[]): Structure['folders'] {
  const paths = all.flatMap(({ sources, tests }) => [...sources, ...tests].map(({ path }) => path))
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders]
    .map(([folder, { length }]) => ({ folder, files: length }))
    .sort((left, right) => right.files - left.files || (left.folder < right.folder ? -1 : 1))
}

function circlesOf({ folder, sources }: Package): Structure['circles'] {
  const base = `${folder}/src`
  return circlesIn(placeGraph(sources, base)).map((places) => ({ folder: base, places }))
}

function backOf(one: Package, order: RoomOrder): Structure['back'] {
  return breachesIn(one, order).map(({ file, line, from, to }) => ({ file, line, from, to }))
}

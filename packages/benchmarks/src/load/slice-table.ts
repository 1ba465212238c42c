import { median, spread } from '../statistics.ts'
import { type Chart, formatNumber, formatRatio, type Table } from '../table.ts'
import { type Slices, speedRatio } from './slices.ts'

export interface SliceTableOptions {
  readonly title: string
  /** The reference servers, as columns; empty for a server that is not comparable. */
  readonly bases: readonly { readonly head: string; readonly baseOf: (name: string) => string | null }[]
  /** Servers that could not be measured, and why. */
  readonly missing?: readonly { readonly name: string; readonly why: string }[]
}

/** Returns what slices say of each server: requests per second, processor time, and ratios of processor time. */
export function writeSliceTable(slices: Slices, { title, bases, missing = [] }: SliceTableOptions): Table {
  const rows = Object.entries(slices).map(([name, turns]) => {
    const cpu = spread(turns.map(({ cpuMicroseconds }) => cpuMicroseconds))
    const ratios = bases.map(({ baseOf }) => baseOf(name)).map((base) => writeRatio(slices, name, base))
    const figures = [median(turns.map(({ perSecond }) => perSecond)), cpu.median, cpu.min, cpu.max]
    return [name, ...figures.map(formatNumber), ...ratios]
  })
  const absent = missing.map(({ name, why }) => [name, why, '', '', '', ...bases.map(() => '')])
  const head = ['server', 'requests/s', 'CPU µs each', 'least', 'most', ...bases.map((base) => base.head)]
  return { title, head, rows: [...rows, ...absent], chart: chartOf(slices) }
}

function writeRatio(slices: Slices, name: string, base: string | null): string {
  if (base === null || base === name || !slices[base]) return ''
  return formatRatio(speedRatio(slices, name, base))
}

function chartOf(slices: Slices): Chart {
  const bars = Object.entries(slices).map(([label, turns]) => {
    const { median: value, min, max } = spread(turns.map(({ cpuMicroseconds }) => cpuMicroseconds))
    return { label, values: [value], range: [min, max] as const }
  })
  return { unit: 'µs of processor time for a request', better: 'less', series: ['median'], bars }
}

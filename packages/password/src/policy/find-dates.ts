import type { Segment, SegmentsByStart } from './guessing-cost.ts'

const day = '(0[1-9]|[12]\\d|3[01])'
const month = '(0[1-9]|1[0-2])'
const year = '(19|20)\\d\\d'

/** The years of a lifetime, and its days in the usual orders. Six digits are a day too often by chance. */
const dates: readonly (readonly [form: RegExp, bits: number])[] = [
  [new RegExp(year, 'y'), 6],
  [new RegExp(`${day}${month}${year}|${month}${day}${year}|${year}${month}${day}`, 'y'), 13],
]

/** Returns the years and dates in a text, in digits without signs between them. */
export function findDates(text: string): SegmentsByStart {
  return Array.from({ length: text.length }, (_, start) => datesAt(text, start))
}

function datesAt(text: string, start: number): readonly Segment[] {
  return dates.flatMap(([form, bits]) => {
    form.lastIndex = start
    const end = start + (form.exec(text)?.[0].length ?? 0)
    return end > start ? [{ firstEnd: end, lastEnd: end, bits, source: 'pattern' as const }] : []
  })
}

import { node22 } from '@latchkey/test-services'
import { type FramedProcess, startFramedProcess } from './framed-process.ts'
import { framingRows } from './framing-rows.ts'
import { type MeasuredRow, measureRow, type Neighbour } from './measure-row.ts'

/** The releases of Node.js that a service is measured on, each with its program. */
export const programs: Readonly<Record<string, string>> = { '22': node22, '24': process.execPath }

/** Measures rows on one Node.js, in one process as long as it lives. */
export interface RowMeasurer {
  readonly major: string
  /** @param isFresh in a process of its own. */
  measure(what: string, isFresh?: boolean): Promise<MeasuredRow>
  close(): Promise<void>
}

export function createRowMeasurer(major: string): RowMeasurer {
  const program = programs[major]
  if (program === undefined) throw new Error(`Node.js must be one of ${Object.keys(programs).join(', ')}`)
  let service: FramedProcess | null = null
  const close = async (): Promise<void> => {
    await service?.stop()
    service = null
  }
  return {
    major,
    async measure(what, isFresh = false) {
      if (isFresh) await close()
      service ??= await startFramedProcess(program)
      const row = await measureRow(service, what, addressOf(what))
      // What a row has left behind would be measured with the next one.
      if (harmOf(row) !== null) await close()
      return row
    },
    close,
  }
}

/** An address for each row: what is held against one must not make the next row weak. */
function addressOf(what: string): string {
  return `127.0.1.${1 + framingRows.findIndex((row) => row.what === what)}`
}

/** Honest clients may wait so many times as long as alone. */
const slowerAtMost = 3
/** Which counts as two milliseconds at least: less is lost in what measuring takes. */
const aloneAtLeastMs = 2
/** And so much more memory may be taken than before. */
const bytesAtMost = 64_000_000

/** How many times as long the honest clients wait, of which the worse counts. */
function slowdownOf({ requests, pings }: MeasuredRow): number {
  const times = ({ alone, beside }: Neighbour): number => beside.median / Math.max(alone.median, aloneAtLeastMs)
  return Math.max(times(requests), times(pings))
}

/** Returns how a row has harmed the service or its honest clients; `null`: it has not. */
export function harmOf(row: MeasuredRow): string | null {
  const { ended, loopMs, idleBytes, mostBytes, requests, pings } = row
  if (ended !== null) return `the service has ended: ${ended}`
  if (loopMs === null) return 'the event loop stands still'
  if (mostBytes - idleBytes > bytesAtMost) return `it takes ${Math.round((mostBytes - idleBytes) / 1e6)} MB`
  const failure = requests.beside.failure ?? pings.beside.failure
  if (failure !== null) return failure
  return slowdownOf(row) > slowerAtMost ? `honest clients wait ${slowdownOf(row).toFixed(1)} times as long` : null
}

import type { ServerStores } from '@latchkey/server'
import type { PlantedFault } from './faults.ts'
import { overriding } from './overriding.ts'

type Records = NonNullable<ServerStores['records']>

/** Mistakes of a store whose server does not answer. */
export const faultsOfSilence: readonly PlantedFault[] = [
  {
    name: 'late-removal',
    fault:
      'a removal of the records of one owner that was reported as failed is executed with the next insert of the process',
    plant: {
      inProcess({ records, ...stores }) {
        let late: Parameters<Records['removeByOwner']> | null = null
        return {
          ...stores,
          records: overriding(records, {
            removeByOwner: (...given) =>
              records.removeByOwner(...given).catch((error: unknown) => {
                late = given
                throw error
              }),
            async insert(record) {
              const isInserted = await records.insert(record)
              if (late) await records.removeByOwner(...late).catch(() => undefined)
              late = null
              return isInserted
            },
          }),
        }
      },
    },
  },
  {
    name: 'repeated-reads',
    fault: 'a read of a record that failed at its deadline is repeated up to four times',
    plant: {
      inProcess({ records, ...stores }) {
        const read = async (key: string, times: number): ReturnType<Records['get']> =>
          records.get(key).catch((error: unknown) => {
            if (times === 0) throw error
            return read(key, times - 1)
          })
        return { ...stores, records: overriding(records, { get: (key) => read(key, 4) }) }
      },
    },
  },
]

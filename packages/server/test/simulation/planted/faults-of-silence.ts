import type { ServerStores } from '@latchkey/server'
import type { PlantedFault } from './faults.ts'
import { overriding } from './overriding.ts'

type Records = NonNullable<ServerStores['records']>

/** Mistakes of a store whose server does not answer. */
export const faultsOfSilence: readonly PlantedFault[] = [
  {
    name: 'late-removal',
    fault: 'a removal of the records of one owner that was reported as failed is executed two seconds later',
    plant: {
      inProcess: ({ records, ...stores }) => ({
        ...stores,
        records: overriding(records, {
          removeByOwner: (owner, options) =>
            records.removeByOwner(owner, options).catch((error: unknown) => {
              setTimeout(() => records.removeByOwner(owner, options).catch(() => undefined), 2000)
              throw error
            }),
        }),
      }),
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

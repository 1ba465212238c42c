import { median } from './expect-within.ts'

/**
 * Returns the milliseconds for which this thread computed until the work was done. Unlike the wall-clock time, they
 * exclude all other work of the machine.
 */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns the median of three measurements by `cpuMilliseconds`: a collection of garbage falls into one of them. */
export async function medianCpuMilliseconds(work: () => unknown): Promise<number> {
  const measured: number[] = []
  for (let run = 0; run < 3; run++) measured.push(await cpuMilliseconds(work))
  return median(measured)
}

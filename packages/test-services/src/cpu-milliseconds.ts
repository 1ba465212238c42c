/**
 * Returns the milliseconds for which this thread computed until the work was done. They are what the work costs; the time
 * on the wall is also that of everything else on the machine.
 */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

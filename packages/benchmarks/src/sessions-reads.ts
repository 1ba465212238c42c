import { medianOf } from './sessions-figures.ts'
import { sessionWays } from './sessions-ways.ts'

/** Microseconds for each way to read the session of a request, one figure for each round. */
export async function measureReads(rounds: number, seconds: number): Promise<Record<string, number[]>> {
  const ways = await Promise.all(Object.entries(sessionWays).map(async ([name, open]) => ({ name, way: await open() })))
  const figures: Record<string, number[]> = Object.fromEntries(ways.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, way } of ways) {
      const figure = await timeRead(() => way.read(way.cookie), seconds)
      // The first round warms up.
      if (round > 0) figures[name]?.push(figure)
    }
  }
  return figures
}

/** Batches, so that looking at the clock costs nothing. */
async function timeRead(read: () => Promise<string | null>, seconds: number): Promise<number> {
  if ((await read()) === null) throw new Error('the session was not found')
  const batch = 500
  const batches: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const start = performance.now()
    for (let count = 0; count < batch; count++) await read()
    batches.push(((performance.now() - start) * 1000) / batch)
  }
  return medianOf(batches)
}

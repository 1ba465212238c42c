import { loginWays, rightPassword } from './login-ways.ts'

/** Hashes per second with so many asked for at once. */
export async function measureHashRate(name: string, atOnce: number, seconds: number): Promise<number> {
  const way = await loginWays[name]?.()
  if (!way) throw new Error(`there is no way called ${name}`)
  await Promise.all(Array.from({ length: atOnce }, () => way.check(rightPassword)))
  let hashes = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const ask = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await way.check(rightPassword)
      hashes++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  const elapsedMs = performance.now() - startedAt
  await way.close()
  return (hashes * 1000) / elapsedMs
}

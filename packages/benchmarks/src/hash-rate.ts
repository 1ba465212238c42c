import { chooseLoginWays, loginWays, peer, rightPassword } from './login-ways.ts'
import { atLeast, type PartReport, type PartRun } from './part.ts'
import { measureRounds } from './rounds.ts'
import { median, medianRatio } from './statistics.ts'
import { formatNumber, formatRatio } from './table.ts'

const atOnce = 8

export async function measureHashRate(run: PartRun): Promise<PartReport> {
  const rates = await measureRounds(run, chooseLoginWays(run.own['rate-ways']), (way) => measureRound(way, run.seconds))
  const rows = Object.entries(rates).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, rates[peer])),
  ])
  const simd = 'latchkey, argon2id (SIMD)'
  const targets = rates[simd] ? [atLeast(0.9, `hashes/s, × ${peer}`, simd, medianRatio(rates[simd], rates[peer]))] : []
  const title = `Argon2id m=19456 t=2 p=1, ${atOnce} at once`
  return { tables: [{ title, head: ['way', 'hashes/s', `of ${peer}`], rows }], targets, figures: rates }
}

/** Hashes per second. */
async function measureRound(name: string, seconds: number): Promise<number> {
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

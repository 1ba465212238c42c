import type { PartReport, PartRun } from '../part.ts'
import { measureRounds } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { type Chart, formatNumber, formatRatio } from '../table.ts'
import { chooseLoginWays, loginWays, peer, rightPassword } from './login-ways.ts'

const atOnce = 8

export async function measureHashRate(run: PartRun): Promise<PartReport> {
  const rates = await measureRounds(run, chooseLoginWays(run.own['rate-ways']), (way) => measureRound(way, run.seconds))
  const perSecond = (name: string): number[] => (rates[name] ?? []).map((round) => round.perSecond)
  const rows = Object.entries(rates).map(([name, rounds]) => [
    name,
    formatNumber(median(perSecond(name))),
    formatRatio(medianRatio(perSecond(name), perSecond(peer))),
    formatNumber(median(rounds.map((round) => round.cpuMs))),
    formatNumber(median(rounds.map((round) => round.cores))),
  ])
  const head = ['way', 'hashes/s', `of ${peer}`, 'CPU, ms a hash', 'cores busy']
  const title = `Argon2id m=19456 t=2 p=1, ${atOnce} at once`
  const chart: Chart = {
    unit: 'hashes per second',
    better: 'more',
    series: ['median'],
    bars: Object.keys(rates).map((label) => ({ label, values: [median(perSecond(label))] })),
  }
  return { tables: [{ title, head, rows, chart }], targets: [], figures: rates }
}

/** The second and third distinguish a way that computes more from one that waits, or had to wait. */
type RateResult = { perSecond: number; cpuMs: number; cores: number }

async function measureRound(name: string, seconds: number): Promise<RateResult> {
  const way = await loginWays[name]?.()
  if (!way) throw new Error(`there is no way called ${name}`)
  await Promise.all(Array.from({ length: atOnce }, () => way.check(rightPassword)))
  let hashes = 0
  const before = process.cpuUsage()
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
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1000
  await way.close()
  return { perSecond: (hashes * 1000) / elapsedMs, cpuMs: cpuMs / hashes, cores: cpuMs / elapsedMs }
}

import { atLeast, atMost, type PartReport, type PartRun, type PeerFigure, type Target } from '../part.ts'
import { measureRounds, type Rounds } from '../rounds.ts'
import { medianRatio, medians } from '../statistics.ts'
import { type Chart, formatNumber, formatRatio, type Table } from '../table.ts'
import { chooseLoginWays, peer } from './login-ways.ts'
import { measureStormRound, type StormResult } from './storm-round.ts'

export async function measureLoginStorm(run: PartRun): Promise<PartReport> {
  const storm = await measureRounds(run, chooseLoginWays(run.own.ways), (way) => measureStormRound(way, run.seconds))
  return { tables: [writeTable(storm)], targets: judge(storm), figures: storm }
}

function writeTable(storm: Rounds<StormResult>): Table {
  const rows = Object.entries(storm).map(([name, rounds]) => {
    const row = medians(rounds)
    const figures = [
      row.idlePingMs,
      row.pingMs,
      row.pingMs - row.idlePingMs,
      row.idleFileMs,
      row.fileMs,
      row.fileMs - row.idleFileMs,
      row.delayMaxMs,
      row.loginsPerSecond,
    ]
    return [name, ...figures.map(formatNumber), formatRatio(loginsRatio(storm, name))]
  })
  const when = ['idle', 'storm', 'more']
  const head = [
    'way',
    ...when.map((word) => `ping ${word}`),
    ...when.map((word) => `file ${word}`),
    'loop max',
    'logins/s',
    `of ${peer}`,
  ]
  const title = 'p99 of other requests and the longest delay of the event loop, in ms'
  return { title, head, rows, chart: chartOf(storm) }
}

function chartOf(storm: Rounds<StormResult>): Chart {
  const bars = Object.entries(storm).map(([label, rounds]) => {
    const { pingMs, fileMs } = medians(rounds)
    return { label, values: [pingMs, fileMs] }
  })
  return { unit: 'ms, p99 during the storm', better: 'less', series: ['ping', 'file read'], bars }
}

function loginsRatio(storm: Rounds<StormResult>, name: string): number {
  const logins = (rounds: StormResult[] = []): number[] => rounds.map(({ loginsPerSecond }) => loginsPerSecond)
  return medianRatio(logins(storm[name]), logins(storm[peer]))
}

/** Returns the figures of the alternatives to Latchkey. */
function peersBy(storm: Rounds<StormResult>, figure: (row: StormResult) => number): PeerFigure[] {
  return Object.entries(storm)
    .filter(([name]) => !name.startsWith('latchkey'))
    .map(([name, rounds]) => ({ name, measured: figure(medians(rounds)) }))
}

const morePing = (row: StormResult): number => row.pingMs - row.idlePingMs
const moreFile = (row: StormResult): number => row.fileMs - row.idleFileMs

function judge(storm: Rounds<StormResult>): Target[] {
  const quiet = Object.entries(storm)
    .filter(([name]) => name.startsWith('latchkey'))
    .flatMap(([name, rounds]) => {
      const row = medians(rounds)
      return [
        atMost(5, 'p99 of a ping, ms more than idle', name, morePing(row), peersBy(storm, morePing)),
        atMost(5, 'p99 of a file read, ms more than idle', name, moreFile(row), peersBy(storm, moreFile)),
        atMost(
          20,
          'event-loop delay, ms',
          name,
          row.delayMaxMs,
          peersBy(storm, ({ delayMaxMs }) => delayMaxMs),
        ),
      ]
    })
  const leastLogins = { 'latchkey, node:crypto': 0.95, 'latchkey, @node-rs/argon2': 2.5 }
  const fast = Object.entries(leastLogins)
    .filter(([name]) => storm[name])
    .map(([name, least]) =>
      atLeast(least, `logins/s, × ${peer}`, name, loginsRatio(storm, name), [{ name: peer, measured: 1 }]),
    )
  return [...quiet, ...fast]
}

import { randomBytes } from 'node:crypto'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { createTotp } from '@latchkey/totp'
import { Secret, TOTP } from 'otpauth'
import { generateSync, verifySync } from 'otplib'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds, peersOf } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'
import { microsecondsPer } from '../time-calls.ts'

type Way = () => unknown

const account = 'acc_1'
const time = 1_800_000_000_000
const stepMs = 30_000

/** Microseconds for one code of an authenticator app, one step of drift accepted. */
export async function measureTotpVerify(run: PartRun): Promise<PartReport> {
  const ways = { ...(await prepareLatchkey()), ...preparePeers() }
  for (const [name, way] of Object.entries<Way>(ways)) {
    run.progress(`warming up ${name}`)
    await microsecondsPer(way, 0.5)
  }
  const names = Object.keys(ways)
  const figures = await measureRounds(run, names, async (name) =>
    microsecondsPer((ways as Record<string, Way>)[name], run.seconds),
  )
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, figures['latchkey, right'])),
  ])
  const of = (name: string): number => median(figures[name] ?? [])
  return {
    tables: [
      {
        title: 'One code',
        head: ['way', 'µs', 'of latchkey, right'],
        rows,
        chart: chartOfRounds('µs for a code', figures),
      },
    ],
    targets: ['right', 'wrong'].map((which) => {
      const peers = peersOf(figures, [`otpauth, ${which}`, `otplib, ${which}`])
      return atMost(60, 'µs', `latchkey, ${which}`, of(`latchkey, ${which}`), peers)
    }),
    figures,
  }
}

/**
 * Measures the whole verification with the sealed secret, the step and the count, on a store that ignores writes, so
 * that the same code is right each time.
 */
async function prepareLatchkey(): Promise<Record<string, Way>> {
  const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
  const documents = createMemoryDocumentStore()
  const open = (store: DocumentStore) => createTotp({ documents: store, secrets, issuer: 'Example', now: () => time })
  const { secret } = await open(documents).enroll(account, 'ada@example.com')
  const parsed = Secret.fromBase32(secret)
  const codeOf = (step: number) => TOTP.generate({ secret: parsed, timestamp: time + step * stepMs })
  await open(documents).confirm(account, codeOf(-1))
  const totp = open({ ...documents, replace: async () => true })
  const verify = async (code: string, expected: boolean) => {
    if ((await totp.verify(account, code)).ok !== expected) throw new Error('another verdict')
  }
  const [right, next, wrong] = [codeOf(0), codeOf(1), codeOf(20)]
  return {
    'latchkey, right': () => verify(right, true),
    'latchkey, right, of the next step': () => verify(next, true),
    'latchkey, wrong': () => verify(wrong, false),
  }
}

function preparePeers(): Record<string, Way> {
  const secret = new Secret({ size: 20 })
  const otpauth = new TOTP({ secret })
  const { base32 } = secret
  const [right, wrong] = [TOTP.generate({ secret, timestamp: time }), TOTP.generate({ secret, timestamp: time * 2 })]
  const epoch = time / 1000
  if (generateSync({ secret: base32, epoch }) !== right) throw new Error('otplib computes another code')
  const otplib = (token: string) => verifySync({ secret: base32, token, epoch, epochTolerance: 30 })
  return {
    'otpauth, right': () => otpauth.validate({ token: right, timestamp: time, window: 1 }),
    'otpauth, wrong': () => otpauth.validate({ token: wrong, timestamp: time, window: 1 }),
    'otplib, right': () => otplib(right),
    'otplib, wrong': () => otplib(wrong),
  }
}

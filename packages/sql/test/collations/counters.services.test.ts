import { randomUUID } from 'node:crypto'
import { createPostgresStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'

const server = useService('postgres')

/** In the order of code units "B" comes before "a", in that of English after it. */
const keys = ['limit:account:BBBB', 'limit:strangers:BBBB', 'limit:account:aaaa', 'limit:account:Cccc']

async function openEnglish() {
  const name = `english_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name} template template0 locale_provider icu icu_locale 'en-US'`)
  await admin.end()
  const connectionString = Object.assign(new URL(server), { pathname: `/${name}` }).href
  return [1, 2].map(() => {
    const stores = createPostgresStores({ pool: new pg.Pool({ connectionString, max: 6 }), deadlineMs: 5000 })
    onTestFinished(() => stores.close())
    return stores
  })
}

test('simultaneous hits and give-backs of counters in an English database do not deadlock', async () => {
  const processes = await openEnglish()
  await processes[0]?.migrate()
  const failures: unknown[] = []
  const end = performance.now() + 2000
  const attempt = async (counters: (typeof processes)[number]['counters']) => {
    while (performance.now() < end) {
      for (const by of [1, -1]) {
        const hits = await Promise.allSettled(keys.map((key) => counters.hit(key, 900_000, by)))
        failures.push(...hits.filter(({ status }) => status === 'rejected'))
      }
    }
  }
  await Promise.all(processes.flatMap(({ counters }) => [1, 2, 3].map(() => attempt(counters))))
  expect(failures).toEqual([])
  const left = await Promise.all(keys.map(async (key) => (await processes[0]?.counters.hit(key, 1, 0))?.count))
  expect(left).toEqual(keys.map(() => 0))
})

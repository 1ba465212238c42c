// One process of several on one database. It prints what it won.
import { createLmdbStores } from '../src/lmdb-stores.ts'

const [path = '', rounds = ''] = process.argv.slice(2)
const { records, documents, counters, close } = createLmdbStores({ path, deadlineMs: 20_000 })
const expiresAt = Date.now() + 3_600_000
const won = { inserts: 0, replaces: 0, hits: 0, removals: 0 }

for (let round = 0; round < Number(rounds); round++) {
  const [key, collection] = [`kit_${round}`, 'kit-race']
  if (await records.insert({ key, owner: 'acc_1', expiresAt, value: '{}' })) won.inserts++
  await documents.insert({ collection, id: key, owner: 'acc_1', version: 'v0', value: '{}' })
  const next = { version: `v${process.pid}`, value: '{}' }
  if (await documents.replace({ collection, id: key, version: 'v0' }, next)) won.replaces++
  if ((await counters.hit('kit_hits', 3_600_000)).count > 0) won.hits++
  if (await records.remove(key)) won.removals++
}
await close()
console.log(JSON.stringify(won))

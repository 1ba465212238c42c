import type { Accounts, AccountsOptions } from '@latchkey/accounts'
import { createMemoryDocumentStore } from '@latchkey/store'
import { type Bench, createBench, type TestOptions } from '../bench.ts'

const offered = ['articles:read', 'articles:publish']

/** Readers may read, editors may also publish. */
export const keyOptions: Required<AccountsOptions>['apiKeys'] = {
  prefix: 'lk_',
  mayGrant: ({ roles }, scope) => offered.includes(scope) && (scope === 'articles:read' || roles.includes('EDITOR')),
}

type CreateInput = Parameters<Accounts['createApiKey']>[0]
type Created = Extract<Awaited<ReturnType<Accounts['createApiKey']>>, { readonly ok: true }>

export interface KeysBench extends Bench {
  readonly create: (identity: CreateInput['identity'], change?: Partial<CreateInput>) => Promise<Created>
}

/** A service with API keys, and who is signed in to an account of it. */
export async function openKeys(options: TestOptions = {}, around: Parameters<typeof createBench>[0] = {}) {
  const documents = options.documents ?? createMemoryDocumentStore()
  const bench = createBench({ ...around, options: { documents, apiKeys: keyOptions, ...options } })
  const account = await bench.insert()
  const { identity } = await bench.signIn()
  const create: KeysBench['create'] = async (of, change = {}) => {
    const asked = { name: 'Export', scopes: ['articles:read'], expiresInDays: 90, ...change }
    const created = await bench.accounts.createApiKey({ identity: of, ...asked })
    if (!created.ok) throw new Error('the key was refused')
    return created
  }
  return { bench: { ...bench, create } satisfies KeysBench, account, identity, documents }
}

import {
  checkAccountLife,
  type DataExportOptions,
  type DeletionOptions,
  type EmailCode,
  type ImpersonationOptions,
  type MailOptions,
  type ProvidersOptions,
  readEmailCode,
  readProviders,
} from '@latchkey/accounts'
import type { OfferedLife } from '../account-life/offered-life.ts'
import type { ProviderPageOptions } from '../settings/providers/provider-page-options.ts'
import type { ServerStores } from './server-stores.ts'

/** The life of an account: what its owner may change, and the mails about it. */
export interface AccountLifeOptions {
  /**
   * The languages and words of mails, where their links lead, and whether owners are told of new devices. The language is
   * the one of `texts` that the browser prefers.
   * @default in English, with links to the pages of the service
   */
  readonly mails?: MailOptions
  /**
   * For how many days the former address undoes a change of address, 0 to 30: it stays reserved as long. With 0 both addresses
   * confirm a change. More than 0 needs `stores.addresses`.
   * @default 7 with `stores.addresses`, without it addresses are not changed
   */
  readonly undoDays?: number
  /**
   * Lets people sign in by a code of a mail in place of the password: `{}`, or `{ lifetimeSeconds }`, 60 to 600. It is a first
   * factor as the password is. Omitted: neither the schema nor the pages have anything of it.
   */
  readonly emailCode?: EmailCode
  /**
   * Lets people sign in with providers. With `clients` the service has the routes and pages for it; with `{}` the callbacks come to
   * routes of the application, which pass their verdicts to `signInWithProvider`. Needs `stores.links`. Omitted: neither the schema
   * nor the pages have anything of it.
   */
  readonly providers?: ServiceProvidersOptions
  /** What a deletion does to the data of the application. Omitted: owners do not delete their accounts. */
  readonly deletion?: DeletionOptions
  /** What `exportAccount` exports of the data of the application. */
  readonly dataExport?: Pick<DataExportOptions, 'application'>
  /**
   * Lets who has the permission `accounts:impersonate` act as another account that can do no more than they can and administers
   * nothing, after a fresh second factor and with a reason for the audit. Such an identity has `impersonator`, and is refused
   * what is its owner's alone. Needs that permission in `policy`, and `totp` or `passkeys`. Omitted: no one does.
   */
  readonly impersonation?: Omit<ImpersonationOptions, 'mayImpersonate'>
}

/** How people sign in with providers, and with which. */
export interface ServiceProvidersOptions extends ProvidersOptions, ProviderPageOptions {}

/** Returns what of the option is for accounts. */
export function accountProviders(given: ServiceProvidersOptions | undefined): ProvidersOptions | undefined {
  if (given === undefined || given === null) return given
  const { clients: _clients, labels: _labels, ...rest } = given
  return rest
}

interface Options extends AccountLifeOptions {
  readonly stores: Pick<ServerStores, 'profiles' | 'addresses' | 'grants' | 'links'>
}

export function offeredLife({ stores, undoDays, deletion }: Options): OfferedLife {
  return {
    name: stores.profiles !== undefined,
    email: stores.addresses !== undefined || undoDays === 0,
    deletion: deletion !== undefined,
  }
}

/** By which method each store is recognized that not every service has. */
const methods = { profiles: 'rename', addresses: 'reserve', grants: 'removeByAccount', links: 'listByAccount' } as const

/** @throws TypeError that names what is unknown or cannot be used. */
export function checkLifeOptions({
  stores,
  mails,
  undoDays,
  emailCode,
  providers,
  deletion,
  dataExport,
}: Options): void {
  checkStores(stores)
  if (emailCode !== undefined) readEmailCode(emailCode)
  if (providers !== undefined && stores.links === undefined) throw new TypeError('"providers" needs "stores.links"')
  readProviders(accountProviders(providers), stores.links ?? null)
  checkAccountLife({
    ...(mails !== undefined && { mails }),
    ...(undoDays !== undefined && { undoDays }),
    ...(deletion !== undefined && { deletion }),
    ...(dataExport !== undefined && { dataExport }),
  })
  for (const name of ['grants', 'auditEntries']) {
    if (Object.hasOwn(dataExport ?? {}, name))
      throw new TypeError(`"dataExport" has no option "${name}": it is exported by itself`)
  }
  if ((undoDays ?? 0) > 0 && stores.addresses === undefined)
    throw new TypeError('"undoDays" needs "stores.addresses", or must be 0')
}

function checkStores(stores: Options['stores']): void {
  for (const [name, method] of Object.entries(methods)) {
    const store: object | undefined = stores[name as keyof typeof methods]
    if (store === undefined || hasMethod(store, method)) continue
    throw new TypeError(`"stores.${name}" must have "${method}", or be omitted`)
  }
}

function hasMethod(store: object | null, method: string): boolean {
  return typeof (store as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
}

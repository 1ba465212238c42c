import { checkOptionNames } from '@latchkey/core/internal'
import type { DocumentStore, LinkStore } from '@latchkey/store'
import { type Providers, readProviders } from '../providers/provider-options.ts'
import type { AccountDirectory, AccountStore } from '../store/account-store.ts'
import type { AddressStore } from '../store/address-store.ts'
import type { ProfileStore } from '../store/profile-store.ts'
import type {
  AccountsOptions,
  AdministrationOptions,
  DataExportOptions,
  DeletionOptions,
  ImpersonationOptions,
} from './accounts-options.ts'
import { readImpersonationOptions } from './read-impersonation.ts'
import { readPart } from './read-part.ts'

/** What owners and administrators may change of an account; `null`: it is not offered. */
export interface AccountLife {
  readonly profiles: ProfileStore | null
  readonly addresses: AddressStore | null
  readonly documents: DocumentStore | null
  readonly links: LinkStore | null
  /** `null`: no one signs in with a provider. */
  readonly providers: Providers | null
  /** All accounts; `null`: the store does not list them. */
  readonly directory: AccountDirectory | null
  /** For how many days a change of address can be undone. */
  readonly emailChange: { readonly undoDays: number } | null
  readonly deletion: DeletionOptions | null
  readonly administration: (AdministrationOptions & { readonly directory: AccountDirectory }) | null
  readonly dataExport: DataExportOptions
  /** `null`: no administrator acts as another account. */
  readonly impersonation: Required<ImpersonationOptions> | null
}

const daysByDefault = 7
const mostDays = 30

/** @throws TypeError that names the option that cannot be used. */
export function readAccountLife(options: AccountsOptions): AccountLife {
  const addresses = readPart('addresses', options.addresses, 'reserve') ?? null
  const directory = readDirectory(options.accounts)
  const links = readPart('links', options.links, 'listByAccount') ?? null
  return {
    profiles: readPart('profiles', options.profiles, 'rename') ?? null,
    addresses,
    documents: readPart('documents', options.documents, 'removeByOwner') ?? null,
    links,
    providers: readProviders(options.providers, links),
    directory,
    emailChange: readEmailChange(options.undoDays, addresses),
    deletion: readDeletion(options.deletion),
    administration: readAdministration(options.administration, directory),
    dataExport: readDataExport(options.dataExport),
    impersonation: readImpersonationOptions(options.impersonation),
  }
}

function readDirectory(accounts: AccountStore & Partial<AccountDirectory>): AccountDirectory | null {
  return typeof accounts.list === 'function' ? (accounts as AccountStore & AccountDirectory) : null
}

function readEmailChange(
  undoDays: number | undefined,
  addresses: AddressStore | null,
): { readonly undoDays: number } | null {
  if (undoDays === undefined) return addresses && { undoDays: daysByDefault }
  checkUndoDays(undoDays)
  if (undoDays > 0 && !addresses) throw new TypeError('"undoDays" needs "addresses", or must be 0')
  return { undoDays }
}

/** @throws TypeError that names what cannot be used. */
export function checkUndoDays(days: number): void {
  if (Number.isInteger(days) && days >= 0 && days <= mostDays) return
  throw new TypeError(`"undoDays" must be a whole number of days from 0 to ${mostDays}`)
}

export function readDeletion(deletion: DeletionOptions | undefined): DeletionOptions | null {
  if (deletion === undefined) return null
  const { onDelete } = checkOptionNames('"deletion"', deletion, { onDelete: true })
  if (typeof onDelete !== 'function') throw new TypeError('"deletion.onDelete" must be a function')
  return { onDelete }
}

function readAdministration(
  administration: AdministrationOptions | undefined,
  directory: AccountDirectory | null,
): AccountLife['administration'] {
  if (administration === undefined) return null
  const { isAdministrator } = checkOptionNames('"administration"', administration, { isAdministrator: true })
  if (typeof isAdministrator !== 'function') throw new TypeError('"administration.isAdministrator" must be a function')
  if (!directory) throw new TypeError('"administration" needs "accounts" that can "list"')
  return { isAdministrator, directory }
}

export function readDataExport(dataExport: DataExportOptions = {}): DataExportOptions {
  const names = { grants: true, auditEntries: true, application: true } as const
  for (const [name, read] of Object.entries(checkOptionNames('"dataExport"', dataExport, names))) {
    if (read !== undefined && typeof read !== 'function') throw new TypeError(`"dataExport.${name}" must be a function`)
  }
  return dataExport
}

import type { FactorProof } from '@latchkey/store'
import { addAll, addBit, emptyWords, keepOnly, type PermissionTable, type PermissionWords } from './permission-set.ts'
import type { RoleTable } from './role-table.ts'

/** The verified facts from which the policy creates an identity. */
export interface IdentityInput {
  /** The account's or the client's id: never empty. */
  readonly subject: string
  /** Unknown roles have no permissions. */
  readonly roles: readonly string[]
  /**
   * A `client` is a machine: it owns no resources, and has the permissions of its grant.
   * @default 'account'
   */
  readonly kind?: 'account' | 'client'
  /**
   * The scopes of a grant: names of permissions, and of groups in `scopes` of the policy; other scopes are kept and
   * give no permission. `null`: no grant limits the identity. An account has the permissions that both its roles and
   * its grant give; a client those of its grant, limited by its roles if it has roles.
   * @default null
   */
  readonly scopes?: readonly string[] | null
  /**
   * Whether the identity is no grant to a third party. `true` with scopes: it came through a client of the service
   * itself.
   * @default `true` for an account without scopes
   */
  readonly firstParty?: boolean
  /** The factors that were proven, with their times. */
  readonly factors?: readonly FactorProof[]
  /** The kinds of second factors that the account has enrolled. */
  readonly enrolledFactors?: readonly string[]
  /**
   * The time until which the account needs no second factor, in epoch milliseconds. `null` or omitted: there is no such
   * time.
   */
  readonly enrollmentDueAt?: number | null
  /**
   * `true`: that is over, and the account has to set up a second factor before anything else. Its identity has no role and no
   * permission, and satisfies only rules with `beforeEnrollment`.
   * @default false
   */
  readonly mustEnroll?: boolean
  /** The key of the session or of the refresh family. */
  readonly key?: string | null
  readonly via?: 'cookie' | 'bearer' | null
  readonly epoch?: number | null
  /** The client that it came through; `null` or omitted: the service itself, or unknown. */
  readonly clientId?: string | null
  /** The id of the consent that the client has. */
  readonly grant?: string | null
  /** The thumbprint of the key that the credential is bound to. */
  readonly keyBinding?: string | null
  /**
   * The id of the administrator who acts as the account. The identity has the permissions of the account, but satisfies
   * no rule with `credential` or `stepUp`, and a rule with `firstParty` only if the rule has `impersonation`. Not for a
   * client.
   * @default null
   */
  readonly impersonator?: string | null
  /**
   * The id of the verified API key. The identity is a third party (`scopes`, `firstParty: false`), and satisfies no
   * rule with `credential`, `stepUp` or `firstParty`, which are for the owner alone. Not for a client.
   * @default null
   */
  readonly apiKey?: string | null
}

declare const identityBrand: unique symbol

/** A subject whose credential was verified. Only `policy.identify` creates one, and only that policy accepts it. */
export interface Identity {
  readonly subject: string
  readonly kind: 'account' | 'client'
  readonly roles: readonly string[]
  readonly scopes: readonly string[] | null
  readonly firstParty: boolean
  readonly factors: readonly FactorProof[]
  readonly enrolledFactors: readonly string[]
  readonly enrollmentDueAt: number | null
  readonly mustEnroll: boolean
  readonly key: string | null
  readonly via: 'cookie' | 'bearer' | null
  readonly epoch: number | null
  readonly clientId: string | null
  readonly grant: string | null
  readonly keyBinding: string | null
  /** The administrator who acts as the account; `null`: its owner. */
  readonly impersonator: string | null
  /** The id of the verified API key; `null` without a key. */
  readonly apiKey: string | null
  readonly [identityBrand]: true
}

export interface IdentityMaker {
  identify(input: IdentityInput | null | undefined): Identity | null
  /**
   * Returns the permissions of an identity of this policy by the active roles; `null` for `null`, for a copy, and for
   * an identity of another policy.
   */
  wordsOf(identity: Identity | null | undefined): PermissionWords | null
}

/** Private fields are neither copied by a spread nor inherited from a prototype: an imitation has no permissions. */
class VerifiedIdentity {
  readonly subject: string
  readonly kind: 'account' | 'client'
  readonly roles: readonly string[]
  readonly scopes: readonly string[] | null
  readonly firstParty: boolean
  readonly factors: readonly FactorProof[]
  readonly enrolledFactors: readonly string[]
  readonly enrollmentDueAt: number | null
  readonly mustEnroll: boolean
  readonly key: string | null
  readonly via: 'cookie' | 'bearer' | null
  readonly epoch: number | null
  readonly clientId: string | null
  readonly grant: string | null
  readonly keyBinding: string | null
  readonly impersonator: string | null
  readonly apiKey: string | null
  declare readonly [identityBrand]: true
  #words: PermissionWords
  /** The version of the roles from which the permissions were computed. */
  #version: number
  readonly #maker: MakerParts

  constructor(input: IdentityInput, maker: MakerParts) {
    const { kind = 'account', scopes = null } = input
    this.subject = input.subject
    this.kind = kind
    this.mustEnroll = kind === 'account' && input.mustEnroll === true
    this.roles = this.mustEnroll ? none : frozenList(input.roles)
    this.scopes = scopes && frozenList(withPermissions(scopes, maker.scopeGroups))
    this.firstParty = isFirstParty(input)
    this.factors = input.factors ? frozenList(input.factors.map((proof) => Object.freeze({ ...proof }))) : none
    this.enrolledFactors = input.enrolledFactors ? frozenList(input.enrolledFactors) : none
    this.enrollmentDueAt = input.enrollmentDueAt ?? null
    this.key = input.key ?? null
    this.via = input.via ?? null
    this.epoch = input.epoch ?? null
    this.clientId = input.clientId ?? null
    this.grant = input.grant ?? null
    this.keyBinding = input.keyBinding ?? null
    this.impersonator = input.impersonator ?? null
    this.apiKey = input.apiKey ?? null
    this.#maker = maker
    this.#version = maker.roleTable.version()
    this.#words = grantedWords(this, maker)
    Object.freeze(this)
  }

  static wordsOf(identity: object, maker: MakerParts): PermissionWords | null {
    if (!(#words in identity) || identity.#maker !== maker) return null
    const version = maker.roleTable.version()
    if (identity.#version !== version) {
      identity.#words = grantedWords(identity, maker)
      identity.#version = version
    }
    return identity.#words
  }
}

/** Shared by all identities, most of which have no scopes and no factors. */
const none: readonly never[] = Object.freeze([])

function frozenList<Member>(members: readonly Member[]): readonly Member[] {
  return members.length === 0 ? none : Object.freeze([...members])
}

function isFirstParty({ kind = 'account', scopes = null, firstParty }: IdentityInput): boolean {
  return firstParty ?? (kind === 'account' && scopes === null)
}

interface MakerParts {
  readonly permissionTable: PermissionTable
  readonly roleTable: RoleTable
  readonly scopeGroups: ReadonlyMap<string, readonly string[]>
}

/** Returns scopes with the permissions of the groups among them. */
function withPermissions(scopes: readonly string[], groups: MakerParts['scopeGroups']): readonly string[] {
  if (groups.size === 0) return scopes
  return [...new Set(scopes.flatMap((scope) => [scope, ...(groups.get(scope) ?? [])]))]
}

export interface IdentityMakerOptions extends Pick<MakerParts, 'permissionTable' | 'roleTable'> {
  readonly scopeGroups: Readonly<Record<string, readonly string[]>>
}

export function createIdentityMaker({ scopeGroups, ...tables }: IdentityMakerOptions): IdentityMaker {
  // A map: what others name may be a member of every object.
  const maker: MakerParts = { ...tables, scopeGroups: new Map(Object.entries(scopeGroups)) }
  return {
    identify(input) {
      if (input === null || input === undefined) return null
      checkInput(input)
      return new VerifiedIdentity(input, maker)
    },
    wordsOf: (identity) => (identity ? VerifiedIdentity.wordsOf(identity, maker) : null),
  }
}

function grantedWords(
  { kind, roles: held, scopes }: Pick<Identity, 'kind' | 'roles' | 'scopes'>,
  { permissionTable, roleTable }: MakerParts,
): PermissionWords {
  const [only] = held
  // The words of a role are never written to: most identities have one role, and share what it grants.
  if (scopes === null && held.length === 1) return roleTable.wordsOf(only ?? '') ?? emptyWords(0)
  const words = emptyWords(permissionTable.names.length)
  for (const role of held) {
    const granted = roleTable.wordsOf(role)
    if (granted) addAll(words, granted)
  }
  if (scopes === null) return words
  const bounded = emptyWords(permissionTable.names.length)
  for (const scope of scopes) addBit(bounded, permissionTable.bitOf(scope))
  if (kind === 'client' && held.length === 0) return bounded
  keepOnly(words, bounded)
  return words
}

function checkInput(input: IdentityInput): void {
  const { subject, roles, kind = 'account', scopes = null, mustEnroll = false, impersonator = null } = input
  const { apiKey = null } = input
  if (typeof subject !== 'string' || subject === '') throw new TypeError('"subject" must be a text that is not empty')
  if (!Array.isArray(roles)) throw new TypeError('"roles" must be a list')
  if (kind !== 'account' && kind !== 'client') throw new TypeError('"kind" must be "account" or "client"')
  if (scopes !== null && !Array.isArray(scopes)) throw new TypeError('"scopes" must be a list or null')
  if (typeof mustEnroll !== 'boolean') throw new TypeError('"mustEnroll" must be true or false')
  if (apiKey !== null && (kind === 'client' || scopes === null || input.firstParty !== false)) {
    throw new TypeError('"apiKey" needs "scopes" and "firstParty: false", and must be null for a client')
  }
  if (impersonator === null) return
  if (typeof impersonator !== 'string' || impersonator === '' || impersonator === subject || kind === 'client') {
    throw new TypeError('"impersonator" must be the id of another account than "subject", and null for a client')
  }
}

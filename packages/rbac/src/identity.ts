import type { FactorProof } from '@latchkey/store'
import { addAll, addBit, emptyWords, keepOnly, type PermissionTable, type PermissionWords } from './permission-set.ts'
import type { RoleTable } from './role-table.ts'

/** What a verifying function knows about somebody, before the policy makes an identity of it. */
export interface IdentityInput {
  /** The account's or the client's id: never empty. */
  readonly subject: string
  /** A role that the policy does not know grants nothing. */
  readonly roles: readonly string[]
  /** Default `account`. A `client` is a machine: it owns nothing, and its grant is what it may do. */
  readonly kind?: 'account' | 'client'
  /**
   * What a grant allows, by permission names; other scopes are kept and grant nothing. `null`: not bounded by a grant,
   * the default. An account may do what its roles and its grant both allow; a client what its grant allows, and only
   * as far as its roles go when it has any.
   */
  readonly scopes?: readonly string[] | null
  /** Not through a grant to a third party. Default: true for an account without scopes. */
  readonly firstParty?: boolean
  /** The factors that were shown, with their times. */
  readonly factors?: readonly FactorProof[]
  /** The kinds of second factors that the account has enrolled. */
  readonly enrolledFactors?: readonly string[]
  /** The key of the session or of the refresh family. */
  readonly key?: string | null
  readonly via?: 'cookie' | 'bearer' | null
  readonly epoch?: number | null
}

declare const identityBrand: unique symbol

/** Somebody whose credential was verified. Only `policy.identify` makes one, and only its own policy accepts it. */
export interface Identity {
  readonly subject: string
  readonly kind: 'account' | 'client'
  readonly roles: readonly string[]
  readonly scopes: readonly string[] | null
  readonly firstParty: boolean
  readonly factors: readonly FactorProof[]
  readonly enrolledFactors: readonly string[]
  readonly key: string | null
  readonly via: 'cookie' | 'bearer' | null
  readonly epoch: number | null
  readonly [identityBrand]: true
}

export interface IdentityMaker {
  identify(input: IdentityInput | null | undefined): Identity | null
  /**
   * The permissions of an identity that this very policy made, by the roles that are in force now; `null` for `null`, a
   * copy, or a stranger's.
   */
  wordsOf(identity: Identity | null | undefined): PermissionWords | null
}

/** Private fields are neither copied by a spread nor inherited through a prototype: a look-alike has no permissions. */
class VerifiedIdentity {
  readonly subject: string
  readonly kind: 'account' | 'client'
  readonly roles: readonly string[]
  readonly scopes: readonly string[] | null
  readonly firstParty: boolean
  readonly factors: readonly FactorProof[]
  readonly enrolledFactors: readonly string[]
  readonly key: string | null
  readonly via: 'cookie' | 'bearer' | null
  readonly epoch: number | null
  declare readonly [identityBrand]: true
  #words: PermissionWords
  /** Of the roles by which these permissions were worked out. */
  #version: number
  readonly #maker: MakerParts

  constructor(input: IdentityInput, maker: MakerParts) {
    const { kind = 'account', scopes = null } = input
    this.subject = input.subject
    this.kind = kind
    this.roles = frozenList(input.roles)
    this.scopes = scopes && frozenList(scopes)
    this.firstParty = input.firstParty ?? (kind === 'account' && scopes === null)
    this.factors = input.factors ? frozenList(input.factors.map((proof) => Object.freeze({ ...proof }))) : none
    this.enrolledFactors = input.enrolledFactors ? frozenList(input.enrolledFactors) : none
    this.key = input.key ?? null
    this.via = input.via ?? null
    this.epoch = input.epoch ?? null
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

/** Most people have shown no factor: they share this. */
const none: readonly never[] = Object.freeze([])

function frozenList<Member>(members: readonly Member[]): readonly Member[] {
  return members.length === 0 ? none : Object.freeze([...members])
}

interface MakerParts {
  readonly permissionTable: PermissionTable
  readonly roleTable: RoleTable
}

export function createIdentityMaker(permissionTable: PermissionTable, roleTable: RoleTable): IdentityMaker {
  const maker: MakerParts = { permissionTable, roleTable }
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

function checkInput({ subject, roles, kind = 'account', scopes = null }: IdentityInput): void {
  if (typeof subject !== 'string' || subject === '') throw new TypeError('"subject" must be a text that is not empty')
  if (!Array.isArray(roles)) throw new TypeError('"roles" must be a list')
  if (kind !== 'account' && kind !== 'client') throw new TypeError('"kind" must be "account" or "client"')
  if (scopes !== null && !Array.isArray(scopes)) throw new TypeError('"scopes" must be a list or null')
}

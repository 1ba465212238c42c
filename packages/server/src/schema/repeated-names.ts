import { authDirectives } from '@latchkey/graphql'
import {
  type ASTNode,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
  type TypeExtensionNode,
  visit,
} from 'graphql'

/**
 * Definitions of one name would be merged unnoticed: an enum of other roles, a field with another rule. Fields of a type of
 * the accounts are added by extending it.
 *
 * @throws TypeError that names what the application defines again.
 */
export function checkRepeatedNames(ours: string, theirs: readonly string[]): void {
  const taken = namesOf(parse(ours, { noLocation: true }))
  for (const sdl of theirs) {
    const document = parse(sdl, { noLocation: true })
    const { fields, types, closed } = namesOf(document)
    const repeated = [...fields].find((field) => taken.fields.has(field))
    if (repeated !== undefined) throw new TypeError(`${repeated} already exists: it belongs to the accounts`)
    for (const name of types) if (taken.types.has(name)) throw new TypeError(explainTaken(name, taken))
    for (const name of closed) if (taken.closed.has(name)) throw new TypeError(explainTaken(name, taken))
    checkDirectives(document)
  }
}

function explainTaken(name: string, { extensible }: Names): string {
  const problem = `${name} already exists: it belongs to the accounts`
  if (name === 'Role') return `${problem}, and its values are the roles of the policy. Leave your definition out`
  return extensible.has(name)
    ? `${problem}. Add fields with "extend type ${name}", or use another name`
    : `${problem}. Use another name`
}

interface Names {
  /** The fields of all types, in definitions and extensions: `Account.email`. */
  readonly fields: ReadonlySet<string>
  /** The defined types, without root types, which several texts may define. */
  readonly types: ReadonlySet<string>
  /** The defined or extended enums, unions and scalars, which have no fields. */
  readonly closed: ReadonlySet<string>
  /** The object types that are defined. */
  readonly extensible: ReadonlySet<string>
}

const rootTypes = ['Query', 'Mutation', 'Subscription']

function namesOf({ definitions }: DocumentNode): Names {
  const named = definitions.flatMap((node) => (isTypeNode(node) ? [node] : []))
  const namesWhere = (isOne: (node: TypeNode) => boolean): ReadonlySet<string> =>
    new Set(named.filter(isOne).map(({ name }) => name.value))
  return {
    fields: new Set(
      named.flatMap((node) =>
        ('fields' in node ? (node.fields ?? []) : []).map((field) => `${node.name.value}.${field.name.value}`),
      ),
    ),
    types: namesWhere((node) => isTypeDefinitionNode(node) && !rootTypes.includes(node.name.value)),
    closed: namesWhere(({ kind }) => /^(?:Enum|Union|Scalar)/.test(kind)),
    extensible: namesWhere(({ kind }) => kind === Kind.OBJECT_TYPE_DEFINITION),
  }
}

type TypeNode = TypeDefinitionNode | TypeExtensionNode

function isTypeNode(node: ASTNode): node is TypeNode {
  return isTypeDefinitionNode(node as DefinitionNode) || isTypeExtensionNode(node as DefinitionNode)
}

/** Refuses a directive of a rule that is defined again, unless it is printed as for `buildSchema`. */
function checkDirectives({ definitions }: DocumentNode): void {
  const repeated = definitions.filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION)
  const ruleDirectives = repeated.length > 0 ? printRuleDirectives() : new Map<string, string>()
  for (const node of repeated) {
    const own = ruleDirectives.get(node.name.value)
    if (own === undefined || own === printBare(node)) continue
    throw new TypeError(`@${node.name.value} already exists: it is the directive of a rule. Use another name`)
  }
}

function printRuleDirectives(): ReadonlyMap<string, string> {
  const { definitions } = parse(authDirectives, { noLocation: true })
  const directives = definitions.filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION)
  return new Map(directives.map((node) => [node.name.value, printBare(node)]))
}

function printBare(node: DirectiveDefinitionNode): string {
  return print(visit(node, { enter: (one) => ('description' in one ? { ...one, description: undefined } : undefined) }))
}

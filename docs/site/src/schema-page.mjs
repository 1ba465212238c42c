// The operations and types of the accounts, as a service with every option has them.

import { reportAccess } from '../../../packages/graphql/src/index.ts'
import { printType } from '../../../packages/server/node_modules/graphql/index.mjs'
import { everyOperation } from './every-operation.mjs'

const introduction = `A service with every option has these operations; each option adds its own. \`latchkey schema\` prints the schema of
yours, and \`latchkey access\` who may use each field. A rule reads as in \`latchkey access\`: “credential” tests a secret,
so it is alone in its request; “first party” is refused to applications of others.`

export function schemaPage() {
  const { access } = everyOperation()
  const rules = new Map(reportAccess(access).rows.map(({ coordinate, rule }) => [coordinate, rule]))
  const { schema } = access
  const operations = (type) =>
    tableOf(
      Object.values(type.getFields())
        .filter(({ name }) => name !== 'yours')
        .map((field) => [`\`${field.name}\``, rules.get(`${type.name}.${field.name}`) ?? '', field.description ?? '']),
    )
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !/^__|^(String|Int|Boolean|ID|Float)$/.test(type.name))
    .map((type) => printType(type).replace(/^ {2}yours: String\n\n?/m, ''))
  return [
    '# GraphQL schema of the account operations',
    introduction,
    '## Queries',
    operations(schema.getQueryType()),
    '## Mutations',
    operations(schema.getMutationType()),
    '## Schema definition (SDL)',
    `\`\`\`graphql\n${types.join('\n\n')}\n\`\`\``,
  ].join('\n\n')
}

function tableOf(rows) {
  const lines = rows.map(
    (cells) => `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`,
  )
  return `| Operation | Rule | What it does |\n| --- | --- | --- |\n${lines.join('\n')}`
}

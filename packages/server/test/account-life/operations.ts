/** The operations by which accounts are changed. */
export const life = {
  changeName: 'mutation ($input: ChangeNameInput!) { changeName(input: $input) { id name } }',
  requestEmailChange: 'mutation ($input: RequestEmailChangeInput!) { requestEmailChange(input: $input) }',
  confirmEmailChange: 'mutation ($input: ConfirmEmailChangeInput!) { confirmEmailChange(input: $input) }',
  undoEmailChange: 'mutation ($input: UndoEmailChangeInput!) { undoEmailChange(input: $input) }',
  deleteAccount: 'mutation ($input: DeleteAccountInput!) { deleteAccount(input: $input) }',
  exportAccount: 'mutation { exportAccount }',
  findAccounts: `query ($text: String, $first: Int, $after: ID) {
    findAccounts(text: $text, first: $first, after: $after) { nodes { id email } endCursor hasNextPage }
  }`,
  lockAccount: 'mutation ($id: ID!) { lockAccount(id: $id) { id } }',
  unlockAccount: 'mutation ($id: ID!) { unlockAccount(id: $id) { id } }',
  endSessions: 'mutation ($id: ID!) { endSessions(accountId: $id) }',
  setRole: 'mutation ($id: ID!) { setRole(input: { accountId: $id, role: READER }) { id } }',
} as const

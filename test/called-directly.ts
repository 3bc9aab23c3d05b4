// Tests run the same whether npm started them or not: messages name commands as they were called, and npm says so to its children.
delete process.env['npm_command']

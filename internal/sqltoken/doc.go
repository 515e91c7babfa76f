// Package sqltoken splits SQL text into tokens as PostgreSQL's lexer does: chapter 4.1, Lexical Structure, of its
// documentation. What a token means it leaves to those who ask: the runtime looks for statements that end a
// transaction, the generator checks types and expressions that an author wrote, the linter reads the shapes of
// statements.
//
// A [Scanner] hands out one token after the other, as offsets into the text; it copies and allocates nothing.
// Between tokens there is white space and nothing else; comments are tokens. No text is refused: what the server would
// not take is a token of kind [Other], or one that is Open.
package sqltoken

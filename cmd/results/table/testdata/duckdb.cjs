// Reads a Parquet file with DuckDB and prints what it holds as JSON.
const { DuckDBInstance } = require('@duckdb/node-api');

async function main(file) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const name = "'" + file.replaceAll("'", "''") + "'";
  const all = await connection.runAndReadAll(`SELECT * FROM ${name}`);
  const done = await connection.runAndReadAll(`SELECT count(*)::INTEGER AS n FROM ${name} WHERE state = 'done' AND cycles > 0`);
  const plain = (v) => (typeof v === 'bigint' ? Number(v) : v);
  console.log(JSON.stringify({
    columns: all.columnNames(),
    types: all.columnTypes().map(String),
    rows: all.getRows().map((row) => row.map(plain)),
    done: plain(done.getRows()[0][0]),
  }));
}

main(process.argv[2]).catch((error) => { console.error(error); process.exit(1); });

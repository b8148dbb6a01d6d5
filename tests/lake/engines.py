"""What query engines make of a lake: the same few questions for each."""

import pathlib

TOTALS = ("input", "output", "cached", "thoughts", "tool", "total")


def duckdb_sums(root):
    import duckdb

    return sums(lambda sql: duckdb.sql(sql).fetchall()[0], lambda table: f"read_parquet('{root}/{glob(table)}')", "hugeint")


def duckdb_s3_sums(bucket, endpoint):
    """Needs the extension as a package; the network is not asked for it."""
    import duckdb
    import importlib.util

    found = importlib.util.find_spec("duckdb_extension_httpfs")
    if found is None:
        raise ImportError("duckdb-extension-httpfs")
    [extension] = pathlib.Path(found.submodule_search_locations[0]).rglob("httpfs.duckdb_extension")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{extension}'")
    for name, value in (("endpoint", endpoint), ("access_key_id", "x"), ("secret_access_key", "x"), ("url_style", "path")):
        connection.execute(f"set s3_{name} = '{value}'")
    connection.execute("set s3_use_ssl = false")
    return sums(lambda sql: connection.execute(sql).fetchall()[0], lambda table: f"read_parquet('s3://{bucket}/{glob(table)}')", "hugeint")


def clickhouse_sums(root):
    from chdb.session import Session

    session = Session()
    def ask(sql):
        return [int(it) for it in session.query(sql, "CSV").data().strip().split(",")]
    return sums(ask, lambda table: f"file('{root}/{glob(table)}', 'Parquet')", "Int128")


def clickhouse_s3_sums(bucket, endpoint):
    from chdb.session import Session

    session = Session()
    def ask(sql):
        return [int(it) for it in session.query(sql, "CSV").data().strip().split(",")]
    return sums(ask, lambda table: f"s3('http://{endpoint}/{bucket}/{glob(table)}', 'x', 'x', 'Parquet')", "Int128")


def polars_sums(root):
    import polars

    found = {}
    for table in ("requests", "sessions", "tool_calls"):
        frame = polars.read_parquet(f"{root}/{glob(table)}")
        found[table] = frame.height
        if table == "requests":
            found |= {name: int(frame[name].sum()) for name in TOTALS}
        if table == "tool_calls":
            found["live_calls"] = frame.filter(polars.col("state") == "current").height
    return found


def spark_sums(root):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    found = {}
    for table in ("requests", "sessions", "tool_calls"):
        frame = spark.read.parquet(f"{root}/v1/{table}")
        found[table] = frame.count()
        if table == "requests":
            found |= {name: int(frame.agg({name: "sum"}).first()[0]) for name in TOTALS}
        if table == "tool_calls":
            found["live_calls"] = frame.filter("state = 'current'").count()
    spark.stop()
    return found


def glob(table):
    return f"v1/{table}/*/*.parquet"


def sums(ask, source, wide):
    found = {}
    for table in ("requests", "sessions", "tool_calls"):
        [found[table]] = [int(it) for it in ask(f"select count(*) from {source(table)}")]
    added = ", ".join(f"cast(sum({name}) as {wide})" for name in TOTALS)
    found |= dict(zip(TOTALS, [int(it) for it in ask(f"select {added} from {source('requests')}")]))
    [found["live_calls"]] = [int(it) for it in ask(f"select count(*) from {source('tool_calls')} where state = 'current'")]
    return found


# What each engine calls the types of the columns.
TYPES = {
    "varchar": {"duckdb": {"VARCHAR"}, "clickhouse": {"String"}, "polars": {"String"}},
    "bigint": {"duckdb": {"BIGINT"}, "clickhouse": {"Int64"}, "polars": {"Int64"}},
    "integer": {"duckdb": {"INTEGER"}, "clickhouse": {"Int32"}, "polars": {"Int32"}},
    "boolean": {"duckdb": {"BOOLEAN"}, "clickhouse": {"Bool"}, "polars": {"Boolean"}},
    "timestamp with time zone": {
        "duckdb": {"TIMESTAMP WITH TIME ZONE"},
        "clickhouse": {"DateTime64(6, 'UTC')", "DateTime64(6)"},
        "polars": {"Datetime(time_unit='us', time_zone='UTC')"},
    },
    "decimal(18,9)": {
        "duckdb": {"DECIMAL(18,9)"},
        "clickhouse": {"Decimal(18, 9)"},
        "polars": {"Decimal(precision=18, scale=9)"},
    },
}


def duckdb_types(file):
    import duckdb

    rows = duckdb.sql(f"describe select * from read_parquet('{file}', hive_partitioning = false)").fetchall()
    return {row[0]: str(row[1]) for row in rows}


def clickhouse_types(file):
    from chdb.session import Session

    rows = Session().query(f"describe table file('{file}', 'Parquet')", "TSV").data()
    fields = [line.split("\t")[:2] for line in rows.strip().split("\n")]
    def bare(kind):
        return kind.removeprefix("Nullable(").removesuffix(")") if kind.startswith("Nullable(") else kind
    return {name: bare(kind).replace("\\'", "'") for name, kind in fields}


def polars_types(file):
    import polars

    return {name: str(kind) for name, kind in polars.read_parquet_schema(file).items()}
